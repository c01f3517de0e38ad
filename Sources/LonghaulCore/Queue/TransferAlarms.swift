/// The alarms of transfers. A concrete type, because a generic `AlarmClock` costs several times as much from another module, and each
/// transfer sets an alarm.
package struct TransferAlarms: Sendable {
    private var clock = AlarmClock<TransferID>()

    package init() {}

    /// Sets or moves an alarm; `nil` stops it.
    package mutating func set(_ id: TransferID, at date: WallTime?) { clock.set(id, at: date) }

    /// The size of the heap, including moved alarms.
    package var count: Int { clock.count }

    /// Returns when the next alarm fires.
    package mutating func next() -> WallTime? { clock.next() }

    /// Returns the ID of an alarm that has fired, and stops it.
    package mutating func popDue(at now: WallTime) -> TransferID? { clock.popDue(at: now) }
}
