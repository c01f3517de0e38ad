/// Brings what a lifecycle tells to whoever moves a session's bytes.
struct LifecycleFollower {
    let lifecycle: ProcessLifecycle
    let mover: any SessionMover
    /// Called before the session is left for good.
    var sayGoodbye: @Sendable () async -> Void = {}
    let tell: @Sendable (HandoffReport) async -> Void

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

    /// The goodbye comes first: nobody can be asked when the session was left to nobody.
    private func leaveForGood() async {
        await sayGoodbye()
        await leave()
    }

    private func leave() async {
        // The app is back already: what was told is over.
        guard let deadline = lifecycle.deadline else { return }
        await report(mover.leave(by: deadline) { lifecycle.deadline != nil })
    }

    private func comeBack() async {
        guard lifecycle.deadline == nil else { return }
        await report(mover.comeBack())
    }

    private func report(_ report: HandoffReport) async {
        if report.outcome != .unchanged { await tell(report) }
    }

    private static func isReturn(_ event: LifecycleEvent) -> Bool {
        switch event {
        case .didBecomeActive, .willEnterForeground: true
        case .willResignActive, .didEnterBackground, .willTerminate: false
        }
    }
}
