/// Passes lifecycle events to the owner of a session.
struct LifecycleFollower {
    let lifecycle: ProcessLifecycle
    let mover: any SessionMover
    /// Called before the process exits.
    var beforeExit: @Sendable () async -> Void = {}
    let report: @Sendable (HandoffReport) async -> Void

    /// Follows the lifecycle until the task is cancelled.
    func run() async {
        // Both observers are registered before the state is read, so that no event is missed.
        let (events, returns) = (lifecycle.events(), lifecycle.events())
        await withDiscardingTaskGroup { group in
            // The first observer waits in `handOver` and delays the end of the process, so another observer has to see a return.
            group.addTask {
                for await event in returns where Self.isReturn(event) { await mover.interrupt() }
            }
            switch lifecycle.state {
            case .inactive: break
            case .active: await comeBack()
            case .background: await handOver()
            case .terminating: await leaveForGood()
            }
            for await event in events {
                switch event {
                case .didBecomeActive, .willEnterForeground: await comeBack()
                case .didEnterBackground: await handOver()
                case .willTerminate: await leaveForGood()
                case .willResignActive: break
                }
            }
            group.cancelAll()
        }
    }

    /// Calls `beforeExit` first, because it needs the session.
    private func leaveForGood() async {
        await beforeExit()
        await handOver()
    }

    private func handOver() async {
        // The app is back already, so the event is obsolete.
        guard let deadline = lifecycle.deadline else { return }
        await pass(mover.handOver(by: deadline) { lifecycle.deadline != nil })
    }

    private func comeBack() async {
        guard lifecycle.deadline == nil else { return }
        await pass(mover.comeBack())
    }

    private func pass(_ result: HandoffReport) async {
        if result.outcome != .unchanged { await report(result) }
    }

    private static func isReturn(_ event: LifecycleEvent) -> Bool {
        switch event {
        case .didBecomeActive, .willEnterForeground: true
        case .willResignActive, .didEnterBackground, .willTerminate: false
        }
    }
}
