/// The alarms of transfers. It adds nothing to `AlarmClock` but its type: set from another module, a generic clock costs
/// several times as much, and each transfer sets one.
package struct TransferAlarms: Sendable {
    private var clock = AlarmClock<TransferID>()

    package init() {}

    /// Sets or moves the alarm of one; `nil` stops it.
    package mutating func set(_ id: TransferID, at date: WallTime?) { clock.set(id, at: date) }

    /// How much is held, moved alarms included.
    package var count: Int { clock.count }

    /// When the next alarm rings.
    package mutating func next() -> WallTime? { clock.next() }

    /// The one whose alarm has rung; its alarm is stopped.
    package mutating func popDue(at now: WallTime) -> TransferID? { clock.popDue(at: now) }
}
