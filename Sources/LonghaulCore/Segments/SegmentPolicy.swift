/// How many connections a download uses.
///
/// Left to itself it begins with one, and doubles them for as long as that makes the whole faster, or takes four times as many where the
/// last ones brought nearly as much each as those before; what did not help is given up again, and tried again later. Far from the server, a large file gets all
/// at once while the first one's window still opens; should they fill the line together, fewer are tried. It decides from what was received, and knows nothing of hosts, limits or time beyond what it is told.
package struct SegmentPolicy: Equatable, Sendable {
    /// What it is told, several times a second.
    package struct Look: Equatable, Sendable {
        /// Monotonic nanoseconds.
        package var now: Int64
        /// Bytes received so far, over all connections.
        package var received: Int64
        /// When the last of them arrived, in monotonic nanoseconds.
        package var arrived: Int64
        /// Bytes that are still to come.
        package var rest: Int64
        /// How many connections are at work.
        package var running: Int
        /// Whether it moves no faster because it may not.
        package var isHeldBack: Bool
        /// Whether further connections are streams of the first one, as far as they may be.
        package var sharesConnection: Bool
        /// What the first connection's way is like; `nil` where nobody knows.
        package var way: WaySight?

        package init(
            now: Int64, received: Int64, arrived: Int64? = nil, rest: Int64, running: Int, isHeldBack: Bool = false,
            sharesConnection: Bool = false, way: WaySight? = nil
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

    /// A time in which bytes are counted. That of a single connection begins and ends with an arrival: a server that sends in bursts
    /// would otherwise seem twice as fast in a window that begins before one burst and ends behind another.
    private struct Window: Equatable {
        private let since: Int64
        private let arrived: Int64
        private let received: Int64

        init(_ look: Look) { (since, arrived, received) = (look.now, look.arrived, look.received) }

        /// Returns bytes a second once it is so long. Then the next one has begun.
        mutating func rate(_ look: Look, _ span: Int64) -> Int64? {
            guard look.now - since >= span else { return nil }
            defer { self = Window(look) }
            let time = look.running == 1 && look.arrived > arrived ? look.arrived - arrived : look.now - since
            return Int64(Double(look.received - received) * 1_000_000_000 / Double(time))
        }
    }

    private enum Phase: Equatable {
        /// The first connection gets going; what it brings until then tells nothing.
        case warming(until: Int64)
        /// Far away, more were asked for before anything could be measured, and get going until then.
        case opening(until: Int64)
        /// Measuring what the present number brings.
        case measuring(Window)
        /// More were asked for, and have not begun yet.
        case growing(since: Int64, before: Int64, from: Int)
        /// More have begun: do they help?
        case trying(Window, begun: Int64, before: Int64, from: Int)
        /// Fewer than so many are tried, which filled the line with this rate.
        case thinning(Window, begun: Int64, before: Int64, from: Int)
        /// The number stays until then. A server's burst, a busy disk or a full server may have misled the trial.
        case resting(until: Int64)
    }

    /// The most that it uses when nobody says how many.
    package static let usualMost = 16
    /// The most that anybody can ask for.
    package static let mostChosen = 64
    /// What each connection should at least have before it.
    static let leastShare: Int64 = 1 << 20
    /// So fast a connection is held back by nothing that a second one would not meet as well, and the disk comes next.
    static let fastEnough: Int64 = 64 << 20
    /// What is nearer to its end than that is not worth another connection.
    static let leastSecondsLeft: Int64 = 2
    private static let warmth: Int64 = 500_000_000
    /// How long a rate is measured. nginx (`limit_rate`) sends the bytes of up to a second at once, so that a short window can have
    /// twice the rate. After each failed trial the window is longer.
    private static let spans: ClosedRange<Int64> = 500_000_000...2_000_000_000
    /// How long new connections get to show what they bring.
    private static let patience: Int64 = 3_000_000_000
    /// How long the policy waits after a failed trial: twice as long each time.
    private static let rests: ClosedRange<Int64> = 4_000_000_000...60_000_000_000
    /// The shortest wait after a refusal.
    private static let refusalRest: Int64 = 30_000_000_000

    /// Windows open in less time than a far file of this length takes, even over one connection.
    private static let farRest: Int64 = 32 << 20
    /// After how many round trips connections to far away are looked at: three until the first byte comes, and five while windows open.
    private static let farRoundTrips: Int64 = 8
    /// What ends sooner need not find out with how few connections it would be as fast. That costs a second where it fails, since
    /// those that are taken back begin anew.
    private static let thinningSecondsLeft: Int64 = 10

    private let most: Int
    package let isChosen: Bool
    private var phase: Phase
    private var flights = FlightWatch()
    private var span = Self.spans.lowerBound
    private var rest = Self.rests.lowerBound
    /// Whether nobody knows yet that fewer would bring less.
    private var isUnproven = false
    /// Whether streams of one connection were found to be no faster than one of them: those that come now get connections of their own.
    package private(set) var wantsOwnConnections = false
    /// How many there should be.
    package private(set) var target = 1
    /// Whether a further connection was refused of late.
    package private(set) var isRefused = false
    /// Why there are so many.
    package private(set) var reason = ConnectionReason.measuring

    /// Whether what it decides next depends on the last few round trips.
    package var looksClosely: Bool {
        switch phase {
        case .warming: true
        case .opening, .measuring, .growing, .trying, .thinning, .resting: false
        }
    }

    /// - Parameter chosen: How many a person wants at the most, which are used at once; `nil` finds out.
    package init(chosen: Int?, now: Int64) {
        isChosen = chosen != nil
        most = max(chosen ?? Self.usualMost, 1)
        phase = .warming(until: now + Self.warmth)
    }

    /// A further connection was refused or broke: those that there are do the rest, for a while. Of several that are refused at
    /// once some still seem to run, so that each refusal counts.
    package mutating func refuse(running: Int, at now: Int64) {
        target = max(min(target - 1, running), 1)
        rest = min(rest * 2, Self.rests.upperBound)
        phase = .resting(until: now + max(rest, Self.refusalRest))
        isRefused = true
        reason = .refused
    }

    package mutating func look(_ look: Look) {
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
        flights.look(look)
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
            if let rate { judgeThinning(look, rate, begun, before, from) }
        case .growing(let since, let before, let from):
            if look.running >= target {
                phase = .trying(Window(look), begun: look.now, before: before, from: from)
            } else if look.now - since > Self.patience {
                // Nobody lets it have more now.
                target = max(look.running, 1)
                measureAnew(look, because: .hostLimit)
            }
        case .trying(var window, let begun, let before, let from):
            let rate = window.rate(look, span)
            phase = .trying(window, begun: begun, before: before, from: from)
            if let rate { judgeTrial(look, rate, begun, before, from) }
        case .resting: break
        }
    }

    private mutating func judgeTrial(_ look: Look, _ rate: Int64, _ begun: Int64, _ before: Int64, _ from: Int) {
        if helps(rate, before: before, from: from, share: 0.25) {
            rest = Self.rests.lowerBound
            grow(look, rate, by: helps(rate, before: before, from: from, share: 0.75) ? 4 : 2)
        } else if look.sharesConnection, !wantsOwnConnections {
            // A stream is fast at once, or the connection or the line is the limit.
            wantsOwnConnections = true
            target = min(target * 4, most)
            phase = .growing(since: look.now, before: before, from: from)
        } else if look.now - begun >= Self.patience {
            // New connections are slow at first: only their latest window counts.
            leaveAlone(look, at: from)
        }
    }

    /// Looks again later, each time after a longer rest.
    private mutating func leaveAlone(_ look: Look, at count: Int) {
        target = count
        phase = .resting(until: look.now + rest)
        rest = min(rest * 2, Self.rests.upperBound)
        span = min(span * 2, Self.spans.upperBound)
        reason = .noGain
    }

    /// Far away, a window that still opens is what says how fast it goes, and as many times as there are windows. `false` where nothing of
    /// that is so.
    private mutating func open(_ look: Look) -> Bool {
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

    /// Where connections that were opened on trust fill the line, half of them may do. `false` where that is not to be tried.
    private mutating func thin(_ look: Look, _ rate: Int64) -> Bool {
        guard isUnproven, flights.isLineFull(look), target > 1, rate > 0,
            look.rest / rate >= Self.thinningSecondsLeft
        else { return false }
        phase = .thinning(
            Window(look), begun: look.now, before: rate, from: target)
        target /= 2
        reason = .trying
        return true
    }

    private mutating func judgeThinning(_ look: Look, _ rate: Int64, _ begun: Int64, _ before: Int64, _ from: Int) {
        if rate >= before / 10 * 9 {
            measureAnew(look)
            if target == 1 { isUnproven = false }
        } else if look.now - begun >= 2 * span {
            // The remaining connections had the time to open their windows.
            leaveAlone(look, at: from)
        }
    }

    private mutating func measureAnew(_ look: Look, because reason: ConnectionReason = .measuring) {
        phase = .measuring(Window(look))
        self.reason = reason
    }

    private mutating func grow(_ look: Look, _ rate: Int64, by factor: Int = 2) {
        let room = min(most, Int(look.rest / Self.leastShare))
        if let obstacle = obstacle(look, rate, room) {
            return measureAnew(look, because: obstacle)
        }
        phase = .growing(since: look.now, before: rate, from: target)
        target = min(target * factor, room)
        reason = .trying
    }

    /// What keeps it from trying more connections now.
    private func obstacle(_ look: Look, _ rate: Int64, _ room: Int) -> ConnectionReason? {
        if rate <= 0 { return .measuring }
        if rate / Int64(max(look.running, 1)) >= Self.fastEnough { return .fast }
        if target >= most { return .most }
        if target >= room || look.rest / rate < Self.leastSecondsLeft { return .nearEnd }
        return flights.isLineFull(look) ? .fullLine : nil
    }

    /// Whether each of the connections that were added brings this share of what one brought before: twice as many with a share of a
    /// quarter bring a quarter more, which is worth it.
    private func helps(_ rate: Int64, before: Int64, from: Int, share: Double) -> Bool {
        let added = Double(max(target - from, 1)) / Double(max(from, 1))
        return Double(rate) >= Double(before) * (1 + added * share)
    }
}
