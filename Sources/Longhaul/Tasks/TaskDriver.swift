import LonghaulCore
import Synchronization

/// Runs an app's handlers as the session gives it runs, and says how they ended.
///
/// The session tells which runs are this process's. Those that are new are begun, those that are missing are cancelled:
/// after a lost connection, the same comparison sets things right.
final class TaskDriver: Sendable {
    private enum Event {
        case assigned(TaskAssignments)
        case feedEnded(TransferFailure?)
        /// A run has ended, or is not waited for any more, and the session knows.
        case settled(TaskClaim)
        case leave
    }

    /// After so many vain attempts in a row it gives up.
    private static let patience = 8

    private let tasks: BackgroundTasks
    private let identifiers: [String]
    private let returnsWhenIdle: Bool
    /// What handlers are told when the Swift task is cancelled.
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

    /// What it failed with; `nil` when it was cancelled, closed or has nothing more to do.
    func run() async -> TransferFailure? {
        // A cancelled task could not wait for its handlers any more.
        let work = Task { await drive() }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            sender.yield(.leave)
        }
    }

    private func drive() async -> TransferFailure? {
        var active: [TaskClaim: HandlerRun] = [:]
        var last: [String: BackgroundTaskRun] = [:]
        var isIdle = false
        var failure: TransferFailure?
        var failures = 0
        var isLeaving = false
        var feed = read([], after: .zero)
        defer { feed.cancel() }
        for await event in events {
            switch event {
            case .assigned(let assignments):
                failures = 0
                isIdle = assignments.runs.isEmpty && !assignments.hasMore
                let wanted = Set(assignments.runs.map(\.claim))
                for (claim, run) in active where !wanted.contains(claim) { run.cancel(.withdrawn) }
                // What was said of a run before its end was heard of is late.
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
            case .leave: isLeaving = true
            }
            if isLeaving { for run in active.values { run.cancel(farewell) } }
            if active.isEmpty, isLeaving || returnsWhenIdle && isIdle { return failure }
        }
        return failure
    }

    /// Reads the session's orders until they end. `claims` are runs that this process has under way.
    private func read(_ claims: [TaskClaim], after pause: Duration) -> Task<Void, Never> {
        Task {
            do throws(TransferFailure) {
                // A pause that is cut short has done its work.
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
        // The session gives only what was declared.
        guard let handler = tasks.handlers.handler(of: run.request.identifier) else { return nil }
        let handlerRun = HandlerRun(BackgroundTaskContext(session: tasks.session, run: run))
        Task { [backend = tasks.backend, sender] in
            await handlerRun.perform(handler) { ending in
                switch ending {
                case .returned(let report): await Self.tell(backend, report)
                case .overran: await Self.tell(backend, TaskReturn(claim: run.claim, outcome: .overran))
                }
                sender.yield(.settled(run.claim))
            }
        }
        return handlerRun
    }

    /// Says how a run ended. When nobody takes it, the run counts as lost: the session sees that this process is gone.
    private static func tell(_ backend: any SessionBackend, _ report: TaskReturn) async {
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
