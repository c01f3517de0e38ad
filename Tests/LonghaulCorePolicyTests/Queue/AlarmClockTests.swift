import Testing

@testable import LonghaulCore

@Suite struct AlarmClockTests {
    @Test func clocksWithTheSameAlarmsAreEqualHoweverTheyCameThere() {
        var (one, other) = (AlarmClock<String>(), AlarmClock<String>())
        one.set("a", at: WallTime(seconds: 1))
        one.set("a", at: WallTime(seconds: 2))
        other.set("a", at: WallTime(seconds: 2))
        #expect(one == other && one.hasAny)
        other.set("a", at: nil)
        #expect(one != other && !other.hasAny)
    }

    private let first = TransferID(high: 0, low: 1)
    private let second = TransferID(high: 0, low: 2)

    @Test func alarmsRingInOrderAndOnce() {
        var clock = AlarmClock<TransferID>()
        clock.set(first, at: WallTime(seconds: 20))
        clock.set(second, at: WallTime(seconds: 10))
        #expect(clock.next() == WallTime(seconds: 10))
        #expect(clock.popDue(at: WallTime(seconds: 9)) == nil)
        #expect(clock.popDue(at: WallTime(seconds: 30)) == second)
        #expect(clock.popDue(at: WallTime(seconds: 30)) == first)
        #expect(clock.next() == nil)
    }

    @Test func stoppedAlarmsDoNotStayUntilTheirDate() {
        var clock = AlarmClock<TransferID>()
        clock.set(first, at: WallTime(seconds: 1_000))
        for low in UInt64(10)..<20_000 {
            clock.set(TransferID(high: 0, low: low), at: WallTime(seconds: 2_000))
            clock.set(TransferID(high: 0, low: low), at: nil)
        }
        #expect(clock.count < 200)
        #expect(clock.next() == WallTime(seconds: 1_000))
    }

    @Test func aMovedAlarmRingsAtItsNewDateOnly() {
        var clock = AlarmClock<TransferID>()
        clock.set(first, at: WallTime(seconds: 10))
        clock.set(first, at: WallTime(seconds: 50))
        #expect(clock.popDue(at: WallTime(seconds: 40)) == nil)
        clock.set(first, at: WallTime(seconds: 5))
        #expect(clock.popDue(at: WallTime(seconds: 5)) == first)
        #expect(clock.next() == nil)
    }

    @Test func aStoppedAlarmDoesNotRing() {
        var clock = AlarmClock<TransferID>()
        clock.set(first, at: WallTime(seconds: 10))
        clock.set(first, at: nil)
        #expect(clock.popDue(at: WallTime(seconds: 99)) == nil)
    }
}
