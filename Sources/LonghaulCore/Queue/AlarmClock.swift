/// One alarm per transfer or task, at wall-clock times. Setting and stopping an alarm need no search.
package struct AlarmClock<ID: Hashable & Comparable & Sendable>: Sendable {
    private struct Alarm: Comparable, Sendable {
        var at: WallTime
        var id: ID

        static func < (left: Alarm, right: Alarm) -> Bool {
            (left.at, left.id) < (right.at, right.id)
        }
    }

    /// Moved alarms stay in the heap until they come up, and are then skipped.
    private var heap = Heap<Alarm>()
    private var dates: [ID: WallTime] = [:]

    package init() {}

    /// Sets or moves an alarm; `nil` stops it.
    package mutating func set(_ id: ID, at date: WallTime?) {
        guard dates[id] != date else { return }
        dates[id] = date
        guard let date else { return }
        heap.insert(Alarm(at: date, id: id))
        // Deadlines are days ahead: without this, every ended transfer would leave an alarm until then.
        if heap.count > 2 * dates.count + 64 { heap = Heap(dates.map { Alarm(at: $0.value, id: $0.key) }) }
    }

    /// Whether any alarm is set.
    package var hasAny: Bool { !dates.isEmpty }

    /// The size of the heap, including moved alarms.
    package var count: Int { heap.count }

    /// Returns when the next alarm fires.
    package mutating func next() -> WallTime? {
        while let first = heap.first {
            if dates[first.id] == first.at { return first.at }
            _ = heap.popFirst()
        }
        return nil
    }

    /// Returns the ID of an alarm that has fired, and stops it.
    package mutating func popDue(at now: WallTime) -> ID? {
        guard let date = next(), date <= now, let alarm = heap.popFirst() else { return nil }
        dates[alarm.id] = nil
        return alarm.id
    }
}

extension AlarmClock: Equatable {
    /// Whether the same alarms are set. Other entries of the heap are ignored.
    package static func == (left: AlarmClock, right: AlarmClock) -> Bool { left.dates == right.dates }
}
