import Testing

@testable import LonghaulCore

/// Possible values in a damaged store: each number at the end of its range.
@Suite struct NumbersTests {
    private static let ends: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]

    @Test func aPriorityOutOfRangeStillHasItsPlaceInTheQueue() {
        var queue = TurnQueue(limits: SessionLimits())
        for (number, priority) in [Int.min, Int.max].enumerated() {
            queue.add(
                TurnQueue.Entry(
                    id: TransferID(high: 0, low: UInt64(number)), sequence: Int64(number), priority: priority,
                    host: "h",
                    group: ""))
        }
        #expect(queue.next(at: WallTime(seconds: 0)) == TransferID(high: 0, low: 1))
        #expect(queue.next(at: WallTime(seconds: 0)) == TransferID(high: 0, low: 0))
    }

    @Test func countsOfATransferThatAreAtTheirEndStayThere() {
        var world = MachineFixture.download()
        world.machine.record.facts.attempts = .max
        world.machine.record.facts.failuresInARow = .max
        world.machine.record.facts.restarts = .max
        world.feed(.turnGranted)
        #expect(world.facts.attempts == .max)
        world.engine(.broke(.connectionLost, requestLeft: true))
        #expect(world.state.isEnded)
    }

    @Test(arguments: ends) func budgetAcceptsExtremeNumbers(_ number: Int64) {
        let budget = DataBudget(bytesPerDay: .max, bytesPerMonth: .max)
        var usage = BudgetUsage(day: number, bytesOfDay: number, month: number, bytesOfMonth: number)
        #expect((usage.remaining(of: budget) ?? -1) >= 0)
        _ = usage.release(of: DataBudget(bytesPerDay: .min), in: .utc)
        _ = usage.release(of: DataBudget(bytesPerMonth: .min), in: .utc)
        usage.count(number)
        usage.count(number)
        usage.turn(at: WallTime(seconds: 1_800_000_000), in: .utc)
        #expect(usage.remaining(of: budget) != nil)
    }

    @Test(arguments: ends) func strikesAtAnyNumberAreFollowedByAThrottleThatEnds(_ number: Int64) {
        let now = WallTime(seconds: 1_800_000_000)
        for until in [nil, WallTime(microseconds: .min), WallTime(microseconds: .max)] {
            var throttle = BackgroundTaskThrottle()
            (throttle.strikes, throttle.until) = (Int(number), until)
            let struck = ThrottlePolicy.recordStrike(throttle, BackgroundTaskSettings(), at: now)
            #expect((1...24).contains(struck.strikes))
            #expect(struck.until.map { $0 > now } == true)
        }
    }

    @Test(arguments: ends) func everyInstantHasADateAndADay(_ number: Int64) {
        let instant = WallTime(microseconds: number)
        let time = CivilTime(secondsSince1970: instant.seconds)
        #expect(time.isValid)
        #expect(time.secondsSince1970 == instant.seconds)
        let zone = TimeZoneRules { _ in 14 * 3_600 }
        #expect((0..<1_440).contains(zone.minute(of: instant)))
        #expect(zone.weekday(of: instant + .seconds(604_800)) == zone.weekday(of: instant))
        #expect(zone.next(minute: 1_439, after: instant) >= instant)
        #expect(CalendarRule.daily(hour: 23).next(after: nil, notBefore: instant, now: instant, in: zone) >= instant)
    }

    @Test(arguments: ends) func secondsBeyondTheCalendarAreItsEnd(_ number: Int64) {
        let instant = WallTime(seconds: number)
        let expected = number.magnitude < 2 ? number * 1_000_000 : number < 0 ? .min : .max
        #expect(instant.microseconds == expected)
    }

    /// The literals have these types, and the operators are those of `SaturatingNumbers.swift`.
    @Test func arithmeticSaturatesAtNearestNumber() {
        let (low, high, few) = (Int64.min, Int64.max, Int64(Self.ends.count))
        #expect([high + few, low - few, high - low] == [high, low, high])
        #expect([low + low, high * few, low * few] == [low, high, low])
        #expect([-low, few * low, low * low, few + few, few - few, few * few] == [high, low, high, 14, 0, 49])
        let (least, most, some) = (Int.min, Int.max, Self.ends.count)
        #expect([most + some, least - some, most * some, least * some, -least] == [most, least, most, least, most])
        let (unsigned, none) = (UInt64.max, UInt64(some) - UInt64(some))
        #expect([unsigned + 7, none - 7, unsigned * 7] == [unsigned, 0, unsigned])
        #expect([Int64(unsigned), Int64(Double.infinity), Int64(-1e300), Int64(Double.nan)] == [high, high, low, 0])
        #expect([Int(unsigned), Int(1e300), Int(-7.9)] == [most, most, -7])
        #expect([UInt64(low), UInt64(least)] == [0, 0])
        #expect([Int32(high), Int32(least)] == [.max, .min])
    }
}
