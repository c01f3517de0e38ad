/// How many connections a download uses.
///
/// Left to itself it begins with one, and doubles them for as long as that makes the whole faster, or takes four times as many where the
/// last ones brought nearly as much each as those before; what did not help is given up again. It decides from what was received, and knows nothing of hosts, limits or time beyond what it is told.
package struct SegmentPolicy: Equatable, Sendable {
    /// What it is told, several times a second.
    package struct Look: Equatable, Sendable {
        /// Monotonic nanoseconds.
        package var now: Int64
        /// Bytes received so far, over all connections.
        package var received: Int64
        /// Bytes that are still to come.
        package var rest: Int64
        /// How many connections are at work.
        package var running: Int
        /// Whether it moves no faster because it may not.
        package var isHeldBack: Bool
        /// Whether further connections are streams of the first one, as far as they may be.
        package var sharesConnection: Bool

        package init(
            now: Int64, received: Int64, rest: Int64, running: Int, isHeldBack: Bool = false,
            sharesConnection: Bool = false
        ) {
            self.now = now
            self.received = received
            self.rest = rest
            self.running = running
            self.isHeldBack = isHeldBack
            self.sharesConnection = sharesConnection
        }
    }

    private enum Phase: Equatable {
        /// The first connection gets going; what it brings until then tells nothing.
        case warming(until: Int64)
        /// Measuring what the present number brings.
        case measuring(since: Int64, received: Int64)
        /// More were asked for, and have not begun yet.
        case growing(since: Int64, before: Int64, from: Int)
        /// More have begun: do they help?
        case trying(begun: Int64, since: Int64, received: Int64, before: Int64, from: Int)
        /// The number is found.
        case settled
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
    private static let span: Int64 = 500_000_000
    /// How long new connections get to show what they bring.
    private static let patience: Int64 = 3_000_000_000

    private let most: Int
    private let isChosen: Bool
    private var phase: Phase
    /// Whether streams of one connection were found to be no faster than one of them: those that come now get connections of their own.
    package private(set) var wantsOwnConnections = false
    /// How many there should be.
    package private(set) var target = 1
    /// Whether a further connection was refused.
    package private(set) var isRefused = false

    /// - Parameter chosen: How many a person wants at the most, which are used at once; `nil` finds out.
    package init(chosen: Int?, now: Int64) {
        isChosen = chosen != nil
        most = max(chosen ?? Self.usualMost, 1)
        phase = most == 1 ? .settled : .warming(until: now + Self.warmth)
    }

    /// A further connection was refused or broke: those that there are do the rest. Of several that are refused at once some still
    /// seem to run, so that each refusal counts.
    package mutating func refuse(running: Int) {
        target = max(min(target - 1, running), 1)
        phase = .settled
        isRefused = true
    }

    package mutating func look(_ look: Look) {
        if isChosen {
            if phase != .settled { target = max(min(most, Int(look.rest / Self.leastShare)), 1) }
            phase = .settled
            return
        }
        if look.isHeldBack { return measureAnew(look) }
        switch phase {
        case .warming(let until): if look.now >= until { measureAnew(look) }
        case .measuring(let since, let received): grow(look, since, received)
        case .growing(let since, let before, let from):
            if look.running >= target {
                phase = .trying(
                    begun: look.now, since: look.now, received: look.received, before: before, from: from)
            } else if look.now - since > Self.patience {
                // Nobody lets it have more now.
                target = max(look.running, 1)
                measureAnew(look)
            }
        case .trying(let begun, let since, let received, let before, let from):
            guard look.now - since >= Self.span else { return }
            let rate = Self.rate(look.received - received, in: look.now - since)
            if helps(rate, before: before, from: from, share: 0.25) {
                grow(look, since, received, by: helps(rate, before: before, from: from, share: 0.75) ? 4 : 2)
            } else if look.sharesConnection, !wantsOwnConnections {
                // A stream is fast at once, or never: what is limited is the connection, or the line.
                wantsOwnConnections = true
                target = min(target * 4, most)
                phase = .growing(since: look.now, before: before, from: from)
            } else if look.now - begun >= Self.patience {
                target = from
                phase = .settled
            } else {
                // New connections are slow at first: only their latest span counts.
                phase = .trying(
                    begun: begun, since: look.now, received: look.received, before: before, from: from)
            }
        case .settled: break
        }
    }

    private mutating func measureAnew(_ look: Look) {
        if phase != .settled { phase = .measuring(since: look.now, received: look.received) }
    }

    private mutating func grow(_ look: Look, _ since: Int64, _ received: Int64, by factor: Int = 2) {
        guard look.now - since >= Self.span else { return }
        let rate = Self.rate(look.received - received, in: look.now - since)
        let running = max(look.running, 1)
        let room = min(most, Int(look.rest / Self.leastShare))
        guard rate > 0, rate / Int64(running) < Self.fastEnough, look.rest / rate >= Self.leastSecondsLeft,
            target < room
        else { return measureAnew(look) }
        phase = .growing(since: look.now, before: rate, from: target)
        target = min(target * factor, room)
    }

    /// Whether each of the connections that were added brings this share of what one brought before: twice as many with a share of a
    /// quarter bring a quarter more, which is worth it.
    private func helps(_ rate: Int64, before: Int64, from: Int, share: Double) -> Bool {
        let added = Double(max(target - from, 1)) / Double(max(from, 1))
        return Double(rate) >= Double(before) * (1 + added * share)
    }

    private static func rate(_ bytes: Int64, in nanoseconds: Int64) -> Int64 {
        Int64(Double(bytes) * 1_000_000_000 / Double(max(nanoseconds, 1)))
    }
}
