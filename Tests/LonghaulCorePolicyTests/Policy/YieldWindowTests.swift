import LonghaulCore
import TestSupport
import Testing

@Suite struct YieldWindowTests {
    /// A link with a queue in front of it: the bytes of a window leave at the link's rate, after the idle delay.
    private struct Link {
        /// Bytes in a second.
        var rate: Int64
        /// Microseconds.
        var idle: Int64 = 20_000
        /// Bytes of other traffic in the queue, which take part of the rate.
        var foreign: Int64 = 0
        /// The share of other traffic in the rate; the rest is for the window.
        var foreignRate: Int64 = 0
        var moved: Int64 = 0
        var now: Int64 = 1_000_000_000

        /// Passes one round trip with this window, and returns its time in microseconds.
        mutating func pass(_ window: Int64) -> Int64 {
            let inFlight = rate / 1_000 * idle / 1_000
            let queue = max(window + foreign - inFlight, 0)
            let roundTrip = idle + queue * 1_000_000 / rate
            moved += min(window, (rate - foreignRate) / 1_000 * roundTrip / 1_000)
            now += max(roundTrip, 10_000) * 1_000
            return roundTrip
        }
    }

    private func run(_ window: inout YieldWindow, _ link: inout Link, seconds: Int64, busy: Bool = false) {
        let end = link.now + seconds * 1_000_000_000
        while link.now < end {
            let roundTrip = link.pass(window.size)
            window.observe(roundTrip: roundTrip, at: link.now)
            _ = window.step(moved: link.moved, othersAreBusy: busy, at: link.now)
        }
    }

    @Test(arguments: [625_000, 2_500_000, 12_500_000] as [Int64])
    func aloneItFillsTheLinkWithAShortQueue(rate: Int64) {
        var (window, link) = (YieldWindow(), Link(rate: rate))
        run(&window, &link, seconds: 10)
        let before = link.moved
        run(&window, &link, seconds: 10)
        #expect((link.moved - before) / 10 > rate / 10 * 9)
        #expect(link.pass(window.size) < link.idle + YieldWindow.target * 2)
    }

    @Test func aSenderGivesPacketsInPairs() {
        func room(_ window: Int64, _ underWay: Int64) -> Int64 {
            YieldWindow.room(in: window, underWay: underWay, segment: 1_448)
        }
        // A window between one packet and two would send a single packet, whose acknowledgement would be late.
        #expect(room(2_896, 0) == 2_896 - 64 && room(2_896, 1) == 0 && room(5_791, 0) == 2_896 - 64)
        #expect(room(14_480, 2_896) == 4 * 2_896 - 64)
        #expect(room(0, 0) == 0 && room(.min, .max) == 0 && room(.max, .min) > 0)
        #expect(YieldWindow.room(in: 10, underWay: 0, segment: .min) > 0)
        #expect(YieldWindow.room(in: .max, underWay: 0, segment: .max) > 0)
    }

    /// The kernel's values before the connection is established.
    @Test(arguments: [0, -1, 4_294_967_295, .max, .min] as [Int64])
    func aRoundTripWithoutAMeaningIsNotKnown(microseconds: Int64) {
        #expect(!YieldWindow.isKnown(microseconds))
        #expect(YieldWindow.isKnown(20_000))
    }

    @Test func windowYieldsToFullQueue() {
        var (window, link) = (YieldWindow(), Link(rate: 2_500_000))
        run(&window, &link, seconds: 5)
        link.foreign = 400_000
        link.foreignRate = 2_400_000
        run(&window, &link, seconds: 2)
        #expect(window.size == window.least)
        link.foreign = 0
        link.foreignRate = 0
        run(&window, &link, seconds: 2)
        let before = link.moved
        run(&window, &link, seconds: 4)
        #expect((link.moved - before) / 4 > 2_200_000)
    }

    @Test func windowYieldsToInterfaceTraffic() {
        var (window, link) = (YieldWindow(), Link(rate: 2_500_000))
        run(&window, &link, seconds: 5)
        run(&window, &link, seconds: 1, busy: true)
        #expect(window.size == window.least)
        // It does not grow for a second after other traffic was last seen.
        run(&window, &link, seconds: 0)
        #expect(window.size == window.least)
        run(&window, &link, seconds: 4)
        #expect(window.size > 40_000)
    }

    @Test func aSlowServerDoesNotMakeItGrowForEver() {
        var (window, link) = (YieldWindow(), Link(rate: 100_000_000))
        link.foreignRate = 99_900_000
        run(&window, &link, seconds: 20)
        #expect(window.size < 40_000)
    }

    /// On loopback, a packet holds 64 KiB: a smaller window would block all packets.
    @Test func windowHoldsAtLeastTwoPackets() {
        var (window, link) = (YieldWindow(), Link(rate: 2_500_000))
        window.learn(segment: 65_483)
        run(&window, &link, seconds: 2)
        link.foreign = 400_000
        run(&window, &link, seconds: 5)
        #expect(window.size == 2 * 65_483)
        window.learn(segment: .max)
        #expect(window.size == 2 * 65_536)
    }

    /// A longer round trip is accepted after some minutes, and a path that is always in use is measured again.
    @Test func aLongerWayIsLearnt() {
        var (window, link) = (YieldWindow(), Link(rate: 2_500_000))
        run(&window, &link, seconds: 30)
        link.idle = 60_000
        run(&window, &link, seconds: 300)
        let before = link.moved
        run(&window, &link, seconds: 30)
        #expect((link.moved - before) / 30 > 2_000_000)
    }

    @Test func anyNumberIsTaken() {
        var window = YieldWindow()
        var chance = SeededChance(seed: 7)
        let numbers: [Int64] = [.min, -1, 0, 1, 1_448, 1_000_000, .max / 2, .max]
        for _ in 0..<1_000 {
            let drawn = (0..<4).map { _ in numbers.randomElement(using: &chance) ?? 0 }
            window.observe(roundTrip: drawn[0], at: drawn[1])
            _ = window.step(moved: drawn[2], othersAreBusy: .random(using: &chance), at: drawn[3])
            #expect(window.size >= window.least)
            #expect(window.share(of: .random(in: -1...5, using: &chance)) >= window.least)
            #expect(window.pace >= 0)
        }
    }
}

@Suite struct OthersTrafficTests {
    private static let second: Int64 = 1_000_000_000

    @Test func ownTrafficIsNotForeign() {
        var others = OthersTraffic()
        for tick in 0...20 as ClosedRange<Int64> {
            let own = tick * 250_000
            others.update(counter: own + own / 22, own: own, at: tick * Self.second / 10)
            #expect(!others.areBusy)
        }
    }

    @Test func aBusyProgramIsSeenAndForgotten() {
        var others = OthersTraffic()
        for tick in 0...5 as ClosedRange<Int64> {
            others.update(counter: tick * 250_000, own: 0, at: tick * Self.second / 10)
        }
        #expect(others.areBusy)
        others.update(counter: 1_500_000, own: 240_000, at: Self.second * 6 / 10)
        #expect(!others.areBusy)
    }

    @Test func counterResetDoesNotIndicateOtherTraffic() {
        var others = OthersTraffic()
        others.update(counter: .max, own: 0, at: 0)
        others.update(counter: 0, own: 0, at: Self.second)
        #expect(!others.areBusy)
        others.update(counter: .max, own: .min, at: .max)
        #expect(!others.areBusy)
    }
}
