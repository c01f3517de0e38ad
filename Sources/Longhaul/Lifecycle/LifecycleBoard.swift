/// Who still has to see which event, and what holds the end back: the part of a lifecycle that decides.
struct LifecycleBoard: Equatable {
    struct Observer: Equatable {
        var pending: [LifecycleEvent] = []
        /// It was given an event and has not asked for the next one: it is still handling it.
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

    /// Whether the observer was not removed.
    func knows(_ number: UInt64) -> Bool { observers[number] != nil }

    mutating func removeObserver(_ number: UInt64) {
        observers[number] = nil
    }

    /// Notes a new state, and which observers have something to read now.
    mutating func enter(_ next: LifecycleState, deadline: ContinuousClock.Instant) -> [UInt64] {
        let events = state.events(to: next, deadline: deadline)
        guard !events.isEmpty else { return [] }
        state = next
        if next == .terminating { self.deadline = deadline }
        for number in observers.keys { observers[number]?.pending += events }
        return observers.keys.sorted()
    }

    /// The observer has handled what it was given, and gets the next event if there is one.
    mutating func take(_ number: UInt64) -> LifecycleEvent? {
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
        precondition(leases > 0, "a delay of the end was given back twice")
        leases -= 1
    }

    /// Whether every observer has handled all it was told and, before the end, nobody holds the end back.
    var isSettled: Bool {
        observers.values.allSatisfy(\.isSettled) && (state != .terminating || leases == 0)
    }
}
