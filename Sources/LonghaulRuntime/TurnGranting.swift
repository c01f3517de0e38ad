import LonghaulCore

/// How transfers come to their turns when their app is about to leave.
enum TurnGranting: Equatable, Sendable {
    /// By the session's limits.
    case usual
    /// Not at all: what is begun now would be moved in a moment.
    case held
    /// So many run at once, and what waits for a date, or for a network that a carrier can wait for, waits there.
    case inOneBatch(Int)

    var isBatch: Bool { if case .inOneBatch = self { true } else { false } }

    /// What a carrier was given, has not begun, and would wait here: it waits here again, and holds no place, as soon as somebody is there
    /// to begin it.
    func takenBack(
        _ given: [TransferRecord], _ conditions: ConditionMachine, at now: WallTime, in zone: TimeZoneRules
    ) -> [(TransferID, (reason: Waiting.Reason, until: WallTime?))] {
        guard self == .usual, conditions.reach != .nothing else { return [] }
        return given.compactMap { record in
            conditions.ownWait(of: record, at: now, in: zone).map { (record.id, $0) }
        }
    }

    /// The limits that count meanwhile. What is to run never does not run now either.
    func limits(_ own: SessionLimits) -> SessionLimits {
        guard case .inOneBatch(let count) = self else { return own }
        return SessionLimits(
            total: max(own.total, count), perHost: max(own.perHost, count), streams: max(own.streams, count),
            perGroup: own.perGroup.mapValues { $0 > 0 ? max($0, count) : $0 })
    }

    /// What is left to whoever carries exchanges, if anybody does.
    func reach(_ present: CarrierReach) -> CarrierReach {
        switch (present, self) {
        case (.nothing, _): .nothing
        case (_, .inOneBatch): .everything
        case (_, .usual), (_, .held): .begun
        }
    }
}
