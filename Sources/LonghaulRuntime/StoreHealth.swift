import LonghaulCore

/// Whether a loop's store can be written, and whether another loop must continue with another store.
struct StoreHealth {
    /// A store that is damaged again so soon after its repair is not repaired again: the disk is at fault.
    private static let rest = Duration.seconds(600)

    /// Why the store cannot be written now, and when that is retried.
    private(set) var refusal: TransferFailure?
    private(set) var retryAt: WallTime?
    /// The first failed write since the last commit.
    private(set) var refusedAt: WallTime?
    /// Why another loop must replace this one.
    private(set) var trouble: TransferFailure?
    /// When a failed replacement is retried.
    private(set) var replacedAt: WallTime?
    /// Whether another store has replaced the one that is open here.
    var isExchanged = false
    /// When a damaged store was last repaired by this process.
    private(set) var mendedAt: WallTime?

    init() {}

    /// Initializes the health of a replacement loop.
    init(after old: StoreHealth, at now: WallTime) {
        mendedAt = old.trouble?.code == .storeDamaged ? now : old.mendedAt
    }

    /// When the loop must turn for this reason alone; an inner `nil` means never.
    var nextDate: WallTime?? {
        if trouble != nil { return .some(replacedAt) }
        // Due work stays due while writing fails: it is retried at this time, not at once.
        return refusal == nil ? nil : .some(retryAt)
    }

    /// Moves the dates after the clock was set.
    mutating func move(datesBy step: Duration) {
        retryAt = retryAt.map { $0 + step }
        refusedAt = refusedAt.map { $0 + step }
        replacedAt = replacedAt.map { $0 + step }
        mendedAt = mendedAt.map { $0 + step }
    }

    mutating func beginTurn() { retryAt = nil }

    mutating func recordCommit() { (refusal, refusedAt) = (nil, nil) }

    /// The wait of a transfer that cannot continue while the store cannot be written.
    var waiting: Waiting? {
        guard let refusal, let refusedAt else { return nil }
        return Waiting(refusal.code == .diskFull ? .diskSpace : .retry, since: refusedAt, failure: refusal)
    }

    /// Notes a failed write. Returns when it is retried.
    mutating func refuse(because failure: TransferFailure, at now: WallTime) -> WallTime {
        refusal = failure
        refusedAt = refusedAt ?? now
        let date = now + .seconds(2)
        retryAt = date
        return date
    }

    /// Whether a damaged store may be repaired.
    func mayMend(at now: WallTime) -> Bool {
        guard let mendedAt else { return true }
        let age = now - mendedAt
        // A clock that was set back must not prevent a repair.
        return age > Self.rest || age < .zero
    }

    mutating func giveUp(because failure: TransferFailure) { trouble = failure }

    mutating func waitForReplacement(until date: WallTime) { replacedAt = date }

    /// Whether another loop must replace this one now.
    func isToBeReplaced(at now: WallTime) -> Bool { trouble != nil && replacedAt.map { $0 <= now } ?? true }
}
