import LonghaulCore

/// The state of a lifecycle: its observers, their pending events, and what delays the end.
struct LifecycleTracker: Equatable {
    struct Observer: Equatable {
        var pending: [LifecycleEvent] = []
        /// Whether the observer received an event and has not requested the next one.
        var isBusy = false

        var isSettled: Bool { pending.isEmpty && !isBusy }
    }

    private(set) var state = LifecycleState.inactive
    private(set) var deadline: ContinuousClock.Instant?
    private var observers: [UInt64: Observer] = [:]
    private var nextObserver: UInt64 = 1
    private var leases = 0

    mutating func addObserver() -> UInt64 {
        defer { nextObserver += 1 }
        observers[nextObserver] = Observer()
        return nextObserver
    }

    /// Returns whether the observer is registered.
    func knows(_ number: UInt64) -> Bool { observers[number] != nil }

    var isObserved: Bool { !observers.isEmpty }

    mutating func removeObserver(_ number: UInt64) {
        observers[number] = nil
    }

    /// Records a new state. Returns the observers that have something to read now.
    mutating func enter(_ next: LifecycleState, deadline: ContinuousClock.Instant) -> [UInt64] {
        let events = state.events(to: next, deadline: deadline)
        guard !events.isEmpty else { return [] }
        state = next
        switch next {
        case .background, .terminating: self.deadline = deadline
        case .inactive, .active: self.deadline = nil
        }
        for number in observers.keys { observers[number]?.pending += events }
        return observers.keys.sorted()
    }

    /// Marks the observer's event as handled, and returns the next one if there is one.
    mutating func nextEvent(_ number: UInt64) -> LifecycleEvent? {
        guard var observer = observers[number] else { return nil }
        let event = observer.pending.isEmpty ? nil : observer.pending.removeFirst()
        observer.isBusy = event != nil
        observers[number] = observer
        return event
    }

    mutating func openLease() {
        leases += 1
    }

    mutating func closeLease() {
        precondition(leases > 0, "a delay of the exit was ended twice")
        leases -= 1
    }

    /// Whether every observer has handled its events and, before the end, no lease delays the end.
    var isSettled: Bool {
        observers.values.allSatisfy(\.isSettled) && (state != .terminating || leases == 0)
    }
}
