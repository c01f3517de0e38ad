import LonghaulCore

/// How transfers get their turns while their app is about to exit.
enum TurnGranting: Equatable, Sendable {
    /// By the session's limits.
    case usual
    /// Not at all: a transfer that starts now would soon be moved.
    case held
    /// This many run at once. Waits for a start time, or for a network that the system can wait for, are left to the system.
    case inOneBatch(Int)

    var isBatch: Bool { if case .inOneBatch = self { true } else { false } }

    /// Returns transfers to reclaim from the system: it has not begun them, and they would wait here. They wait here again,
    /// without a slot, as soon as a process can start them.
    func takenBack(
        _ given: [TransferRecord], _ conditions: ConditionMachine, at now: WallTime, in zone: TimeZoneRules
    ) -> [(TransferID, (reason: Waiting.Reason, until: WallTime?))] {
        guard self == .usual, conditions.reach != .nothing else { return [] }
        return given.compactMap { record in
            conditions.ownWait(of: record, at: now, in: zone).map { (record.id, $0) }
        }
    }

    /// Returns the limits that apply meanwhile. A limit of zero stays zero.
    func limits(_ own: SessionLimits) -> SessionLimits {
        guard case .inOneBatch(let count) = self else { return own }
        return SessionLimits(
            total: max(own.total, count), perHost: max(own.perHost, count), streams: max(own.streams, count),
            perGroup: own.perGroup.mapValues { $0 > 0 ? max($0, count) : $0 })
    }

    /// Returns what is left to the system that runs exchanges, if there is one.
    func reach(_ present: CarrierReach) -> CarrierReach {
        switch (present, self) {
        case (.nothing, _): .nothing
        case (_, .inOneBatch): .everything
        case (_, .usual), (_, .held): .begun
        }
    }
}
