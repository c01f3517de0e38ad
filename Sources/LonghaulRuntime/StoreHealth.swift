import LonghaulCore

/// Whether a loop's store can be written, and whether another loop has to go on with another store.
struct StoreHealth {
    /// What was mended and is damaged again so soon is not mended again: the disk is at fault.
    private static let rest = Duration.seconds(600)

    /// Why the store cannot be written now, and when that is tried again.
    private(set) var refusal: TransferFailure?
    private(set) var retryAt: WallTime?
    /// Why another loop has to go on in this one's place.
    private(set) var trouble: TransferFailure?
    /// When that is tried again, since it failed.
    private(set) var replacedAt: WallTime?
    /// Whether another store lies in the place of the one that is open here.
    var isExchanged = false
    /// When a damaged store was mended while this process ran.
    private(set) var mendedAt: WallTime?

    init() {}

    /// Of a loop that goes on in another one's place.
    init(after old: StoreHealth, at now: WallTime) {
        mendedAt = old.trouble?.code == .storeDamaged ? now : old.mendedAt
    }

    /// When the loop has to turn because of this alone; an inner `nil` is never.
    var nextDate: WallTime?? {
        if trouble != nil { return .some(replacedAt) }
        // What is due stays due while nothing can be written: it is tried again at this date and not without a rest.
        return refusal == nil ? nil : .some(retryAt)
    }

    mutating func beginTurn() { retryAt = nil }

    mutating func noteCommit() { refusal = nil }

    /// The disk took nothing. Answers when it is tried again.
    mutating func refuse(because failure: TransferFailure, at now: WallTime) -> WallTime {
        refusal = failure
        let date = now + .seconds(2)
        retryAt = date
        return date
    }

    /// Whether a damaged store may be mended.
    func mayMend(at now: WallTime) -> Bool {
        guard let mendedAt else { return true }
        let age = now - mendedAt
        // A clock that was set back must not keep it from being mended.
        return age > Self.rest || age < .zero
    }

    mutating func giveUp(because failure: TransferFailure) { trouble = failure }

    mutating func waitForReplacement(until date: WallTime) { replacedAt = date }

    /// Whether another loop is to take this one's place now.
    func isToBeReplaced(at now: WallTime) -> Bool { trouble != nil && replacedAt.map { $0 <= now } ?? true }
}
