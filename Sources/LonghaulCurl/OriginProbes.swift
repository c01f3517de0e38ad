import LonghaulCore

/// Decides which exchange connects first to an unknown origin. The others wait until its connection reveals enough.
///
/// So a name is looked up only once. A server with HTTP/2 gets one connection (RFC 9113, section 9.1) instead of one
/// for each exchange that starts at the same time. The option CURLOPT_PIPEWAIT would make the connections one after
/// another if the server turns out to use HTTP/1.
struct OriginProbes {
    private enum Knowledge {
        case scouted(by: Ticket, waiting: [Ticket])
        /// When an exchange last connected there, in nanoseconds.
        case known(at: Int64)
    }

    /// libcurl caches an address for sixty seconds.
    static let memory: Int64 = 50_000_000_000
    /// The maximum number of origins. Beyond it, all known ones are forgotten and learned again.
    private static let capacity = 4_096
    private var origins: [String: Knowledge] = [:]
    private var originProbes: [Ticket: String] = [:]
    private var ready: [Ticket] = []

    /// Returns whether the exchange may connect to the origin now. If not, `nextReady` returns it once another exchange
    /// has connected.
    mutating func mayConnect(_ ticket: Ticket, to origin: String, at now: Int64) -> Bool {
        // A redirect led to another origin.
        opened(by: ticket, at: now)
        switch origins[origin] {
        case .known(let last) where now - last < Self.memory:
            origins[origin] = .known(at: now)
            return true
        case .scouted(let scout, var waiting):
            waiting.append(ticket)
            origins[origin] = .scouted(by: scout, waiting: waiting)
            return false
        case .known, nil:
            if origins.count >= Self.capacity { forgetKnown() }
            origins[origin] = .scouted(by: ticket, waiting: [])
            originProbes[ticket] = origin
            return true
        }
    }

    func isProbe(_ ticket: Ticket) -> Bool { !originProbes.isEmpty && originProbes[ticket] != nil }

    /// Lets waiting exchanges connect, because the first one has learned enough or has ended.
    mutating func opened(by ticket: Ticket, at now: Int64) {
        guard !originProbes.isEmpty, let origin = originProbes.removeValue(forKey: ticket),
            case .scouted(_, let waiting) = origins.updateValue(.known(at: now), forKey: origin)
        else { return }
        ready += waiting
    }

    /// Forgets an origin whose known connections were not enough, so that the next exchange connects first again.
    mutating func forget(_ origin: String) {
        if case .known = origins[origin] { origins[origin] = nil }
    }

    /// Returns an exchange that waited and may connect now. Call this outside of libcurl's callbacks, in which no
    /// exchange may start.
    mutating func nextReady() -> Ticket? { ready.popLast() }

    private mutating func forgetKnown() {
        origins = origins.filter { _, knowledge in
            if case .scouted = knowledge { true } else { false }
        }
    }
}
