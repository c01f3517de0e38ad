/// Passes the events of a lifecycle to the process that runs a session.
struct LifecycleFollower {
    let lifecycle: ProcessLifecycle
    let mover: any SessionMover
    /// Called before the process exits.
    var beforeExit: @Sendable () async -> Void = {}
    let report: @Sendable (HandoffReport) async -> Void

    /// Follows the lifecycle until the task is cancelled.
    func run() async {
        // They observe before the state is looked at, so nothing falls between.
        let (events, returns) = (lifecycle.events(), lifecycle.events())
        await withDiscardingTaskGroup { group in
            // The first observer waits in `leave`, which holds the end of the process back; so another one has to see a return.
            group.addTask {
                for await event in returns where Self.isReturn(event) { await mover.interrupt() }
            }
            switch lifecycle.state {
            case .inactive: break
            case .active: await comeBack()
            case .background: await leave()
            case .terminating: await leaveForGood()
            }
            for await event in events {
                switch event {
                case .didBecomeActive, .willEnterForeground: await comeBack()
                case .didEnterBackground: await leave()
                case .willTerminate: await leaveForGood()
                case .willResignActive: break
                }
            }
            group.cancelAll()
        }
    }

    /// `beforeExit` comes first: it needs the session.
    private func leaveForGood() async {
        await beforeExit()
        await leave()
    }

    private func leave() async {
        // The app is back already: what was told is over.
        guard let deadline = lifecycle.deadline else { return }
        await pass(mover.leave(by: deadline) { lifecycle.deadline != nil })
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
