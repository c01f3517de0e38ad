import LonghaulCore
import Synchronization

/// Runs an app's handlers for the runs that the session assigns, and reports how they ended.
///
/// The session reports which runs belong to this process. New runs are started, and missing runs are cancelled. The
/// same comparison restores the state after a lost connection.
final class TaskDriver: Sendable {
    private enum Event {
        case assigned(TaskAssignments)
        case feedEnded(TransferFailure?)
        /// A run has ended, or its handler overran, and the session has the report.
        case settled(TaskClaim)
        case exit
    }

    /// The number of consecutive failed attempts before it gives up.
    private static let patience = 8

    private let tasks: BackgroundTasks
    private let identifiers: [String]
    private let returnsWhenIdle: Bool
    /// The cancellation reason that handlers get when the Swift task is cancelled.
    private let farewell: TaskCancellationReason
    private let events: AsyncStream<Event>
    private let sender: AsyncStream<Event>.Continuation

    init(
        _ tasks: BackgroundTasks, identifiers: [String], returnsWhenIdle: Bool, farewell: TaskCancellationReason
    ) {
        self.tasks = tasks
        self.identifiers = identifiers
        self.returnsWhenIdle = returnsWhenIdle
        self.farewell = farewell
        (events, sender) = AsyncStream.makeStream()
    }

    /// Runs until the tasks end. Returns the failure; `nil` if the driver was cancelled, was closed, or has nothing more to do.
    func run() async -> TransferFailure? {
        // A cancelled task could not wait for its handlers.
        let work = Task { await drive() }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            sender.yield(.exit)
        }
    }

    private func drive() async -> TransferFailure? {
        var feed = read([], after: .zero)
        let failure = await serve(&feed)
        // A task that is submitted from now on waits for the next runner: a run that never begins would count as lost.
        feed.cancel()
        await feed.value
        return failure
    }

    private func serve(_ feed: inout Task<Void, Never>) async -> TransferFailure? {
        var active: [TaskClaim: HandlerRun] = [:]
        var last: [String: BackgroundTaskRun] = [:]
        var isIdle = false
        var failure: TransferFailure?
        var failures = 0
        var isLeaving = false
        for await event in events {
            switch event {
            case .assigned(let assignments):
                failures = 0
                isIdle = assignments.runs.isEmpty && !assignments.hasMore
                let wanted = Set(assignments.runs.map(\.claim))
                for (claim, run) in active where !wanted.contains(claim) { run.cancel(.withdrawn) }
                // Ignores assignments that were sent before the session had the report of their end.
                for run in assignments.runs
                where !isLeaving && active[run.claim] == nil && last[run.request.identifier] != run {
                    last[run.request.identifier] = run
                    active[run.claim] = begin(run)
                }
            case .settled(let claim): active[claim] = nil
            case .feedEnded(let reason):
                failures += 1
                if !isLeaving, let reason, reason.code == .serviceUnavailable, failures < Self.patience {
                    feed = read(Array(active.keys), after: failures > 1 ? .milliseconds(25 << failures) : .zero)
                } else {
                    failure = isLeaving ? nil : reason
                    isLeaving = true
                }
            case .exit: isLeaving = true
            }
            if isLeaving { for run in active.values { run.cancel(farewell) } }
            if active.isEmpty, isLeaving || returnsWhenIdle && isIdle { return failure }
        }
        return failure
    }

    /// Reads the session's assignments until they end. `claims` are the active runs of this process.
    private func read(_ claims: [TaskClaim], after pause: Duration) -> Task<Void, Never> {
        Task {
            do throws(TransferFailure) {
                // A pause that is cut short needs no handling.
                if pause > .zero { try? await Task.sleep(for: pause) }
                let runner = TaskRunner(identifiers: identifiers, claims: claims)
                let feed = try await tasks.backend.runTasks(runner)
                while let assignments = try await feed?.next() { sender.yield(.assigned(assignments)) }
                sender.yield(.feedEnded(nil))
            } catch {
                sender.yield(.feedEnded(error))
            }
        }
    }

    private func begin(_ run: BackgroundTaskRun) -> HandlerRun? {
        // The session assigns only declared tasks.
        guard let handler = tasks.handlers.handler(of: run.request.identifier) else { return nil }
        let handlerRun = HandlerRun(BackgroundTaskContext(session: tasks.session, run: run))
        Task { [backend = tasks.backend, sender] in
            await handlerRun.perform(handler) { ending in
                switch ending {
                case .returned(let report): await Self.report(backend, report)
                case .overran: await Self.report(backend, TaskReturn(claim: run.claim, outcome: .overran))
                }
                sender.yield(.settled(run.claim))
            }
        }
        return handlerRun
    }

    /// Reports how a run ended. If no report arrives, the run counts as lost: the session notices that this process has ended.
    private static func report(_ backend: any SessionBackend, _ report: TaskReturn) async {
        for attempt in 0..<patience {
            do throws(TransferFailure) {
                return try await backend.taskReturned(report)
            } catch {
                guard error.code != .invalidState else { return }
                // Nothing cancels this task.
                try? await Task.sleep(for: .milliseconds(50 << attempt))
            }
        }
    }
}

extension BackgroundTaskRun {
    fileprivate var claim: TaskClaim { TaskClaim(identifier: request.identifier, number: number) }
}
