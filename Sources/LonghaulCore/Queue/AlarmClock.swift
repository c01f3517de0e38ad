/// One alarm for each thing of a kind, transfers or tasks, at wall-clock dates. Setting and stopping cost no search.
package struct AlarmClock<ID: Hashable & Comparable & Sendable>: Sendable {
    private struct Alarm: Comparable, Sendable {
        var at: WallTime
        var id: ID

        static func < (left: Alarm, right: Alarm) -> Bool {
            (left.at, left.id) < (right.at, right.id)
        }
    }

    /// Alarms that were moved stay in the heap until they come up, and are then passed over.
    private var heap = Heap<Alarm>()
    private var dates: [ID: WallTime] = [:]

    package init() {}

    /// Sets or moves the alarm of one; `nil` stops it.
    package mutating func set(_ id: ID, at date: WallTime?) {
        guard dates[id] != date else { return }
        dates[id] = date
        guard let date else { return }
        heap.insert(Alarm(at: date, id: id))
        // Deadlines lie days ahead: without this, every transfer that has ended would leave one behind until then.
        if heap.count > 2 * dates.count + 64 { heap = Heap(dates.map { Alarm(at: $0.value, id: $0.key) }) }
    }

    /// Whether any alarm is set.
    package var hasAny: Bool { !dates.isEmpty }

    /// How much is held, moved alarms included.
    package var count: Int { heap.count }

    /// When the next alarm rings.
    package mutating func next() -> WallTime? {
        while let first = heap.first {
            if dates[first.id] == first.at { return first.at }
            _ = heap.popFirst()
        }
        return nil
    }

    /// The one whose alarm has rung; its alarm is stopped.
    package mutating func popDue(at now: WallTime) -> ID? {
        guard let date = next(), date <= now, let alarm = heap.popFirst() else { return nil }
        dates[alarm.id] = nil
        return alarm.id
    }
}

extension AlarmClock: Equatable {
    /// Whether the same alarms are set. What else lies in the heap is passed over.
    package static func == (left: AlarmClock, right: AlarmClock) -> Bool { left.dates == right.dates }
}
