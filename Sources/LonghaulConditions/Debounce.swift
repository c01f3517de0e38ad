import LonghaulCore

/// Lets a value settle before it is told. Between two networks a service says several things within a second, and the
/// last one counts.
package struct Debounce<Value: Equatable> {
    /// What was told last.
    package private(set) var told: Value
    private var pending: (value: Value, since: ContinuousClock.Instant, until: ContinuousClock.Instant)?
    private let patience: Duration
    private let limit: Duration

    /// A value that stays for `patience` is told; one that keeps changing is told after `limit`.
    package init(_ value: Value, patience: Duration = .milliseconds(1_500), limit: Duration = .seconds(3)) {
        told = value
        self.patience = patience
        self.limit = limit
    }

    /// The newest value.
    package mutating func note(_ value: Value, at now: ContinuousClock.Instant) {
        if let pending, pending.value == value { return }
        guard value != told || pending != nil else { return }
        let since = pending?.since ?? now
        pending = (value, since, min(now + patience, since + limit))
    }

    /// What was noted last is told now.
    package mutating func settle(_ value: Value) {
        told = value
        pending = nil
    }

    /// When something may be told; `nil` while nothing waits.
    package var date: ContinuousClock.Instant? { pending?.until }

    /// Whether something else is told from now on.
    package mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
        guard let pending, pending.until <= now else { return false }
        self.pending = nil
        guard pending.value != told else { return false }
        told = pending.value
        return true
    }
}
