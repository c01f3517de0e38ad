import LonghaulCore

/// Schedules the removal of deleted rows from the store's files: soon after the last deletion, and not much later than the first.
struct DeletionClock {
    private static let pause = Duration.seconds(1)
    private static let patience = Duration.seconds(60)

    private var firstAt: WallTime?
    private(set) var dueAt: WallTime?

    mutating func recordDeletion(at now: WallTime) {
        let first = firstAt ?? now
        firstAt = first
        dueAt = min(now + Self.pause, first + Self.patience)
    }

    mutating func clear() { (firstAt, dueAt) = (nil, nil) }
}
