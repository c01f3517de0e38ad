/// One run of a handler, from its start until it has returned, however late.
///
/// The handler's Swift task runs code of the app. It cannot be forced to return, and waiting for it could take forever.
/// Therefore it is not a child of the task that waits for it.
final class HandlerRun: Sendable {
    /// The end of a run, or of the wait for it.
    enum Ending: Sendable {
        case returned(TaskReturn)
        /// The handler was cancelled and has not returned within its grace period.
        case overran
    }

    private enum Signal {
        case returned(TaskReturn)
        case cancelled(TaskCancellationReason)
        case graceOver
    }

    let context: BackgroundTaskContext
    private let signals: AsyncStream<Signal>
    private let sender: AsyncStream<Signal>.Continuation

    init(_ context: BackgroundTaskContext) {
        self.context = context
        (signals, sender) = AsyncStream.makeStream()
    }

    var claim: TaskClaim { TaskClaim(identifier: context.identifier, number: context.run.number) }

    func cancel(_ reason: TaskCancellationReason) {
        sender.yield(.cancelled(reason))
    }

    /// Runs the handler. Calls `note` with how it ended: twice if it returns after it overran.
    func perform(
        _ handler: @escaping BackgroundTasks.Handler, note: @Sendable (Ending) async -> Void
    ) async {
        let work = Task { sender.yield(.returned(await report(of: handler))) }
        let budget = alarm(context.run.budget, .cancelled(.budgetExpired))
        var grace: Task<Void, Never>?
        defer {
            budget.cancel()
            grace?.cancel()
        }
        for await signal in signals {
            switch signal {
            case .cancelled(let reason):
                guard context.cancel(reason) else { continue }
                work.cancel()
                grace = alarm(context.run.grace, .graceOver)
            case .graceOver: await note(.overran)
            case .returned(let report): return await note(.returned(report))
            }
        }
    }

    private func alarm(_ span: Duration, _ signal: Signal) -> Task<Void, Never> {
        Task {
            // Cancelled with the run, when its result is no longer needed.
            guard (try? await Task.sleep(for: span, clock: .suspending)) != nil else { return }
            sender.yield(signal)
        }
    }

    private func report(of handler: BackgroundTasks.Handler) async -> TaskReturn {
        var report = TaskReturn(claim: claim, outcome: .succeeded)
        do {
            try await handler(context)
            if context.cancellationReason == .budgetExpired { report.outcome = .expired }
        } catch {
            report.outcome = context.cancellationReason == .budgetExpired ? .expired : .failed
            // The message of an unknown error may contain a secret.
            report.message = (error as? TransferFailure)?.message ?? "The handler failed: \(type(of: error))."
        }
        return report
    }
}
