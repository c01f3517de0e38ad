import LonghaulCore

/// Lets a value settle before it is reported. Between two networks, a service reports several values within a second,
/// and the last one counts.
package struct Debounce<Value: Equatable> {
    /// The last reported value.
    package private(set) var told: Value
    private var pending: (value: Value, since: ContinuousClock.Instant, until: ContinuousClock.Instant)?
    private let patience: Duration
    private let limit: Duration

    /// A value that stays the same for `patience` is reported; one that keeps changing is reported after `limit`.
    package init(_ value: Value, patience: Duration = .milliseconds(1_500), limit: Duration = .seconds(3)) {
        told = value
        self.patience = patience
        self.limit = limit
    }

    /// Records the newest value.
    package mutating func update(_ value: Value, at now: ContinuousClock.Instant) {
        if let pending, pending.value == value { return }
        guard value != told || pending != nil else { return }
        let since = pending?.since ?? now
        pending = (value, since, min(now + patience, since + limit))
    }

    /// Reports the given value now.
    package mutating func report(_ value: Value) {
        told = value
        pending = nil
    }

    /// When a value may be due; `nil` if none is pending.
    package var date: ContinuousClock.Instant? { pending?.until }

    /// Returns whether a new value is reported from now on.
    package mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
        guard let pending, pending.until <= now else { return false }
        self.pending = nil
        guard pending.value != told else { return false }
        told = pending.value
        return true
    }
}
