package import LonghaulCore

/// How a session whose exchanges the system can carry is left: it stays where it is, and what is under way changes lanes.
package struct SystemLanes: Sendable {
    /// Says who carries what begins from now on: the system, or this process.
    package var setBehind: @Sendable (_ isBehind: Bool) -> Void
    /// Transfers that the system carries already.
    package var behind: @Sendable () -> Set<TransferID>
    /// Calls back when the system has been given all that was begun before.
    package var whenBegun: @Sendable (_ call: @escaping @Sendable () -> Void) -> Void
    /// Whether the session's lock must be free while the process stands still, because its files lie in a container that others
    /// share.
    package var letsGo: Bool

    package init(
        letsGo: Bool, setBehind: @escaping @Sendable (_ isBehind: Bool) -> Void,
        behind: @escaping @Sendable () -> Set<TransferID>,
        whenBegun: @escaping @Sendable (_ call: @escaping @Sendable () -> Void) -> Void
    ) {
        self.letsGo = letsGo
        self.setBehind = setBehind
        self.behind = behind
        self.whenBegun = whenBegun
    }

    /// What a plan says of transfers that are still carried by this process.
    func own(_ plan: HandoffPolicy.Plan) -> HandoffPolicy.Plan {
        let carried = behind()
        var own = plan
        own.fates = plan.fates.filter { !carried.contains($0.key) }
        let staysForOne = own.fates.values.contains { fate in
            switch fate {
            case .finishHere, .awaitAnswer: true
            case .leave, .handOver, .suspend: false
            }
        }
        if !staysForOne { own.departure = .now }
        return own
    }
}
