import LonghaulConditions
import LonghaulCore
import LonghaulIPC
import LonghaulRuntime
import LonghaulSystem

/// Passes clients' requests to the sessions, and the replies to the mailbox.
struct RequestRouter {
    let host: SessionHost
    let watches: ServiceWatches
    let providers: ServiceProviders
    let mailbox: ServerMailbox
    let status: ServiceStatus
    let conditions: ConditionsController

    /// `clients` is the number of connected clients.
    func route(_ message: ClientMessage, _ key: RequestKey, clients: Int) {
        switch message {
        case .hello: preconditionFailure("The server answers hello itself.")
        case .session(let id, .acknowledgeDamage): acknowledgeDamage(of: id, key)
        case .session(let id, let command): forward(id, command, key)
        case .watch(let id, let selection, let detail): watch(id, selection, detail, key)
        case .unwatch(let request):
            watches.end(RequestKey(client: key.client, number: request))
            mailbox.reply(.done, to: key)
        case .sessions:
            host.summaries { [mailbox] in mailbox.reply(.sessions($0), to: key) }
        case .status:
            host.summaries { [mailbox, status, conditions] summaries in
                var status = status
                status.clients = clients
                status.residentBytes = ThisProcess.residentBytes
                status.sessions = summaries
                status.trouble = conditions.damage
                mailbox.reply(.status(status), to: key)
            }
        case .release(let id, let mode):
            host.release(id, mode, to: key.client) { [mailbox] failure in
                mailbox.reply(failure.map(ServiceMessage.failed) ?? .done, to: key)
            }
        case .adopt(let id):
            host.adopt(id, from: key.client)
            mailbox.reply(.done, to: key)
        case .provideCredentials(let id): provide(id, key)
        case .answerCredential(let provider, let question, let credential):
            providers.answer(RequestKey(client: key.client, number: provider), question, credential)
            mailbox.reply(.done, to: key)
        case .endProviding(let request):
            providers.end(RequestKey(client: key.client, number: request))
            mailbox.reply(.done, to: key)
        case .attach(let id): attach(id, .events, key) { [mailbox] in mailbox.news(0, to: key) }
        case .runTasks(let id, let runner):
            attach(id, .tasks(runner), key) { [mailbox] in mailbox.taskRuns(TaskAssignments(), to: key) }
        case .conditions: mailbox.reply(.conditions(conditions.report()), to: key)
        case .setOverride(let override):
            change(key, { $0.override = override }) { [conditions] in .conditions(conditions.report()) }
        case .traffic: mailbox.reply(.traffic(conditions.trafficReport()), to: key)
        case .setTraffic(let limits):
            change(key, { $0.traffic = limits }) { [conditions] in .traffic(conditions.trafficReport()) }
        case .stop:
            ServiceLog.notice("stop requested", ["by": "client"])
            mailbox.reply(.done, to: key)
            mailbox.stop()
        }
    }

    /// Runs on a separate thread, because it waits for the disk, and other clients must not.
    private func change(
        _ key: RequestKey, _ body: @escaping @Sendable (inout UserSettings) -> Void,
        then answer: @escaping @Sendable () -> ServiceMessage
    ) {
        NativeThread { [conditions, mailbox] in
            do throws(TransferFailure) {
                try conditions.change(body)
                mailbox.reply(answer(), to: key)
            } catch {
                mailbox.reply(.failed(error), to: key)
            }
        }.detach()
    }

    /// Acknowledges the damage to the files for all sessions too. Runs on a separate thread, because it waits for the disk.
    private func acknowledgeDamage(of id: SessionID, _ key: RequestKey) {
        NativeThread { [self] in
            do throws(TransferFailure) {
                try conditions.acknowledgeDamage()
                forward(id, .acknowledgeDamage, key)
            } catch {
                mailbox.reply(.session(.failed(error)), to: key)
            }
        }.detach()
    }

    private func forward(_ id: SessionID, _ command: SessionCommand, _ key: RequestKey) {
        let command = Self.bounded(command)
        let answerWithoutSession = command.answerWithoutSession
        host.access(id, creates: answerWithoutSession == nil) { [mailbox] access in
            switch access {
            case .open(let runtime): runtime.send(command) { mailbox.reply(.session($0), to: key) }
            case .absent:
                guard let answerWithoutSession else { preconditionFailure("\(id) was not made.") }
                mailbox.reply(.session(answerWithoutSession), to: key)
            case .failed(let failure): mailbox.reply(.session(.failed(failure)), to: key)
            }
        }
    }

    private func watch(_ id: SessionID, _ selection: TransferSelection, _ detail: WatchDetail, _ key: RequestKey) {
        watches.begin(key, id, .transfers(selection, detail))
        host.access(id, creates: false) { [watches, mailbox] access in
            switch access {
            case .open(let runtime): watches.attach(key, to: runtime)
            case .absent:
                mailbox.update(WatchUpdate(changed: [], removed: [], beginsList: true, completesList: true), to: key)
            case .failed(let failure):
                watches.end(key)
                mailbox.reply(.failed(failure), to: key)
            }
        }
    }

    private func provide(_ id: SessionID, _ key: RequestKey) {
        providers.begin(key, id)
        host.access(id, creates: false) { [providers, mailbox] access in
            switch access {
            case .open(let runtime): providers.attach(key, to: runtime)
            case .absent: break
            case .failed(let failure):
                providers.end(key)
                mailbox.reply(.failed(failure), to: key)
            }
        }
    }

    /// Attaches to a session that does not exist yet, or that another process runs, once it is open here.
    private func attach(
        _ id: SessionID, _ subject: ServiceWatches.Subject, _ key: RequestKey,
        sayNothing: @escaping @Sendable () -> Void
    ) {
        watches.begin(key, id, subject)
        host.access(id, creates: false) { [watches, mailbox] access in
            switch access {
            case .open(let runtime): watches.attach(key, to: runtime)
            case .absent: sayNothing()
            case .failed(let failure) where failure.code == .sessionInUse: sayNothing()
            case .failed(let failure):
                watches.end(key)
                mailbox.reply(.failed(failure), to: key)
            }
        }
    }

    /// Limits a page so that it fits into memory and, with ordinary URLs, into a frame.
    private static func bounded(_ command: SessionCommand) -> SessionCommand {
        guard case .list(var query) = command else { return command }
        query.limit = min(max(query.limit, 1), 5_000)
        return .list(query)
    }
}
