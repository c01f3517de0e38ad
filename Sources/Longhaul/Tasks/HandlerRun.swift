/// One run of a handler, from its begin until it has returned, however late that is.
///
/// The handler's Swift task is the app's code: it cannot be made to return, and nobody can wait for it for ever. That is
/// why it is no child of the task that waits for it.
final class HandlerRun: Sendable {
    /// How a run stands after a while.
    enum Ending: Sendable {
        case returned(TaskReturn)
        /// It was cancelled and has not returned within its grace.
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

    /// Runs the handler. `note` is called with how it ended: twice, when it returns after it overran.
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
            // Cancelled with the run, when nobody listens any more.
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
            // The words of an unknown error may hold a secret.
            report.message = (error as? TransferFailure)?.message ?? "The handler failed: \(type(of: error))."
        }
        return report
    }
}
