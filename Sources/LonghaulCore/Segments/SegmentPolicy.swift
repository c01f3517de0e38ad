/// Determines how many connections a download uses.
///
/// Without a chosen number it begins with one connection and doubles them as long as the total rate grows; it quadruples them if the
/// latest ones were nearly as fast as the earlier ones. Connections without a gain are given up, and tried again later. With high
/// latency a large file gets all connections at once while the first window is still opening; if they fill the line together, fewer are
/// tried.
///
/// Pure: it depends only on the samples that it receives.
package struct SegmentPolicy: Equatable, Sendable {
    /// A sample, taken several times a second.
    package struct Measurement: Equatable, Sendable {
        /// Monotonic nanoseconds.
        package var now: Int64
        /// Bytes received so far, over all connections.
        package var received: Int64
        /// The time of the last received byte, in monotonic nanoseconds.
        package var arrived: Int64
        /// Bytes not received yet.
        package var rest: Int64
        /// The number of active connections.
        package var running: Int
        /// Whether a limit keeps it from being faster.
        package var isHeldBack: Bool
        /// Whether further connections are streams of the first one, as far as possible.
        package var sharesConnection: Bool
        /// The network path of the first connection; `nil` if unknown.
        package var way: PathMetrics?

        package init(
            now: Int64, received: Int64, arrived: Int64? = nil, rest: Int64, running: Int, isHeldBack: Bool = false,
            sharesConnection: Bool = false, way: PathMetrics? = nil
        ) {
            self.now = now
            self.received = received
            self.arrived = min(arrived ?? now, now)
            self.rest = rest
            self.running = running
            self.isHeldBack = isHeldBack
            self.sharesConnection = sharesConnection
            self.way = way
        }
    }

    /// A span in which bytes are counted. For a single connection it begins and ends with an arrival: otherwise a server that sends
    /// in bursts would seem twice as fast in a span from before one burst to after another.
    private struct Window: Equatable {
        private let since: Int64
        private let arrived: Int64
        private let received: Int64

        init(_ look: Measurement) { (since, arrived, received) = (look.now, look.arrived, look.received) }

        /// Returns bytes per second once the span has passed, and begins the next one.
        mutating func rate(_ look: Measurement, _ span: Int64) -> Int64? {
            guard look.now - since >= span else { return nil }
            defer { self = Window(look) }
            let time = look.running == 1 && look.arrived > arrived ? look.arrived - arrived : look.now - since
            return Int64(Double(look.received - received) * 1_000_000_000 / Double(time))
        }
    }

    private enum Phase: Equatable {
        /// The first connection is starting; its rate is not meaningful yet.
        case warming(until: Int64)
        /// With high latency, more connections were requested before any measurement, and are starting until then.
        case opening(until: Int64)
        /// Measuring the rate of the current number.
        case measuring(Window)
        /// More connections were requested, and have not started yet.
        case growing(since: Int64, before: Int64, from: Int)
        /// More connections have started and are being measured.
        case trying(Window, begun: Int64, before: Int64, from: Int)
        /// Fewer connections are tried; the former number filled the line at this rate.
        case thinning(Window, begun: Int64, before: Int64, from: Int)
        /// The number stays until then. A server's burst, a busy disk, or a busy server may have distorted the trial.
        case resting(until: Int64)
    }

    /// The default maximum.
    package static let usualMost = 16
    /// The highest number that can be chosen.
    package static let mostChosen = 64
    /// The minimum number of bytes left for each connection.
    static let leastShare: Int64 = 1 << 20
    /// At this rate a second connection would meet the same limits as the first, and the disk is the next one.
    static let fastEnough: Int64 = 64 << 20
    /// A download closer to its end than this is not worth another connection.
    static let leastSecondsLeft: Int64 = 2
    private static let warmth: Int64 = 500_000_000
    /// How long a rate is measured. nginx (`limit_rate`) sends the bytes of up to a second at once, so a short span can show twice
    /// the rate. After each failed trial the span is longer.
    private static let spans: ClosedRange<Int64> = 500_000_000...2_000_000_000
    /// Time for new connections to show their rate.
    private static let patience: Int64 = 3_000_000_000
    /// How long the policy waits after a failed trial: twice as long each time.
    private static let rests: ClosedRange<Int64> = 4_000_000_000...60_000_000_000
    /// The shortest wait after a refusal.
    private static let refusalRest: Int64 = 30_000_000_000

    /// Windows open in less time than a file of this length takes at high latency, even over one connection.
    private static let farRest: Int64 = 32 << 20
    /// Round trips before new connections at high latency are measured: three until the first byte arrives, and five while windows
    /// open.
    private static let farRoundTrips: Int64 = 8
    /// A download that ends sooner is not tried with fewer connections. A failed trial costs a second, because the connections that
    /// were given up start over.
    private static let thinningSecondsLeft: Int64 = 10

    private let most: Int
    package let isChosen: Bool
    private var phase: Phase
    private var flights = FlightWatch()
    private var span = Self.spans.lowerBound
    private var rest = Self.rests.lowerBound
    /// Whether fewer connections might be as fast.
    private var isUnproven = false
    /// Whether streams of one connection were no faster than a single one: further ones get their own connections.
    package private(set) var wantsOwnConnections = false
    /// The intended number of connections.
    package private(set) var target = 1
    /// Whether a further connection was recently refused.
    package private(set) var isRefused = false
    /// The reason for that number.
    package private(set) var reason = ConnectionReason.measuring

    /// Whether the next decision depends on the last few round trips.
    package var looksClosely: Bool {
        switch phase {
        case .warming: true
        case .opening, .measuring, .growing, .trying, .thinning, .resting: false
        }
    }

    /// - Parameter chosen: The user's maximum, which is used at once; `nil` to determine the number.
    package init(chosen: Int?, now: Int64) {
        isChosen = chosen != nil
        most = max(chosen ?? Self.usualMost, 1)
        phase = .warming(until: now + Self.warmth)
    }

    /// A further connection was refused or failed: the others do the rest for a while. If several are refused at once, some still
    /// seem to run, so each refusal counts.
    package mutating func refuse(running: Int, at now: Int64) {
        target = max(min(target - 1, running), 1)
        rest = min(rest * 2, Self.rests.upperBound)
        phase = .resting(until: now + max(rest, Self.refusalRest))
        isRefused = true
        reason = .refused
    }

    package mutating func update(_ look: Measurement) {
        if case .resting(let until) = phase {
            guard look.now >= until, look.rest >= Self.leastShare else { return }
            isRefused = false
            measureAnew(look)
        }
        if isChosen {
            target = max(min(most, Int(look.rest / Self.leastShare)), 1)
            reason = .chosen
            phase = .resting(until: .max)
            return
        }
        if look.isHeldBack { return measureAnew(look, because: .limited) }
        flights.update(look)
        switch phase {
        case .warming(let until):
            if !open(look), look.now >= until { measureAnew(look) }
        case .opening(let until):
            guard look.now >= until else { return }
            target = max(min(target, look.running), 1)
            measureAnew(look)
        case .measuring(var window):
            let rate = window.rate(look, span)
            phase = .measuring(window)
            if let rate, !thin(look, rate) { grow(look, rate) }
        case .thinning(var window, let begun, let before, let from):
            let rate = window.rate(look, span)
            phase = .thinning(window, begun: begun, before: before, from: from)
            if let rate { evaluateThinning(look, rate, begun, before, from) }
        case .growing(let since, let before, let from):
            if look.running >= target {
                phase = .trying(Window(look), begun: look.now, before: before, from: from)
            } else if look.now - since > Self.patience {
                // No more connections are granted now.
                target = max(look.running, 1)
                measureAnew(look, because: .hostLimit)
            }
        case .trying(var window, let begun, let before, let from):
            let rate = window.rate(look, span)
            phase = .trying(window, begun: begun, before: before, from: from)
            if let rate { evaluateTrial(look, rate, begun, before, from) }
        case .resting: break
        }
    }

    private mutating func evaluateTrial(
        _ look: Measurement, _ rate: Int64, _ begun: Int64, _ before: Int64, _ from: Int
    ) {
        if helps(rate, before: before, from: from, share: 0.25) {
            rest = Self.rests.lowerBound
            grow(look, rate, by: helps(rate, before: before, from: from, share: 0.75) ? 4 : 2)
        } else if look.sharesConnection, !wantsOwnConnections {
            // A stream reaches its rate at once unless the connection or the line is the limit.
            wantsOwnConnections = true
            target = min(target * 4, most)
            phase = .growing(since: look.now, before: before, from: from)
        } else if look.now - begun >= Self.patience {
            // New connections start slowly: only their latest span counts.
            leaveAlone(look, at: from)
        }
    }

    /// Tries again later, each time after a longer pause.
    private mutating func leaveAlone(_ look: Measurement, at count: Int) {
        target = count
        phase = .resting(until: look.now + rest)
        rest = min(rest * 2, Self.rests.upperBound)
        span = min(span * 2, Self.spans.upperBound)
        reason = .noGain
    }

    /// Opens all connections at high latency: while windows are still opening, they limit the rate, and more connections have more
    /// windows. Returns `false` if this does not apply.
    private mutating func open(_ look: Measurement) -> Bool {
        guard let way = look.way, way.isFar, !way.isFull, flights.areGrowing, look.rest >= Self.farRest, target < most
        else { return false }
        target = most
        isUnproven = true
        reason = .far
        // Streams share the window.
        if look.sharesConnection { wantsOwnConnections = true }
        phase = .opening(until: look.now + Self.farRoundTrips * way.roundTrip)
        return true
    }

    /// Tries half of the connections if they were opened without measurement and fill the line. Returns `false` if that is not
    /// worth it.
    private mutating func thin(_ look: Measurement, _ rate: Int64) -> Bool {
        guard isUnproven, flights.isLineFull(look), target > 1, rate > 0,
            look.rest / rate >= Self.thinningSecondsLeft
        else { return false }
        phase = .thinning(
            Window(look), begun: look.now, before: rate, from: target)
        target /= 2
        reason = .trying
        return true
    }

    private mutating func evaluateThinning(
        _ look: Measurement, _ rate: Int64, _ begun: Int64, _ before: Int64, _ from: Int
    ) {
        if rate >= before / 10 * 9 {
            measureAnew(look)
            if target == 1 { isUnproven = false }
        } else if look.now - begun >= 2 * span {
            // The remaining connections had time to open their windows.
            leaveAlone(look, at: from)
        }
    }

    private mutating func measureAnew(_ look: Measurement, because reason: ConnectionReason = .measuring) {
        phase = .measuring(Window(look))
        self.reason = reason
    }

    private mutating func grow(_ look: Measurement, _ rate: Int64, by factor: Int = 2) {
        let room = min(most, Int(look.rest / Self.leastShare))
        if let obstacle = obstacle(look, rate, room) {
            return measureAnew(look, because: obstacle)
        }
        phase = .growing(since: look.now, before: rate, from: target)
        target = min(target * factor, room)
        reason = .trying
    }

    /// Returns why no more connections are tried now.
    private func obstacle(_ look: Measurement, _ rate: Int64, _ room: Int) -> ConnectionReason? {
        if rate <= 0 { return .measuring }
        if rate / Int64(max(look.running, 1)) >= Self.fastEnough { return .fast }
        if target >= most { return .most }
        if target >= room || look.rest / rate < Self.leastSecondsLeft { return .nearEnd }
        return flights.isLineFull(look) ? .fullLine : nil
    }

    /// Returns whether each added connection has this share of the rate of an earlier one. Twice as many with a share of a quarter
    /// gain a quarter, which is worth it.
    private func helps(_ rate: Int64, before: Int64, from: Int, share: Double) -> Bool {
        let added = Double(max(target - from, 1)) / Double(max(from, 1))
        return Double(rate) >= Double(before) * (1 + added * share)
    }
}
