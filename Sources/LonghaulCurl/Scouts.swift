import LonghaulCore

/// Who goes first to an origin that nothing is known of: one exchange, and the others wait until its connection tells enough.
///
/// So a name is looked up once and not once for each exchange, and a server that speaks HTTP/2 gets one connection (RFC 9113, section
/// 9.1) and not as many as exchanges began together. libcurl's own way to wait (CURLOPT_PIPEWAIT) makes the connections of a server
/// that turns out to speak HTTP/1 one after the other.
struct Scouts {
    private enum Knowledge {
        case scouted(by: Ticket, waiting: [Ticket])
        /// When an exchange began there last, in nanoseconds.
        case known(at: Int64)
    }

    /// libcurl remembers an address for sixty seconds.
    static let memory: Int64 = 50_000_000_000
    /// When there are more origins, the known ones are forgotten all at once, and scouted again.
    private static let capacity = 4_096
    private var origins: [String: Knowledge] = [:]
    private var scouts: [Ticket: String] = [:]
    private var ready: [Ticket] = []

    /// Whether the exchange may connect to the origin now. If not, it is `nextReady` when somebody else has found the way.
    mutating func mayConnect(_ ticket: Ticket, to origin: String, at now: Int64) -> Bool {
        // It was sent on to another origin.
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
            scouts[ticket] = origin
            return true
        }
    }

    func isScout(_ ticket: Ticket) -> Bool { !scouts.isEmpty && scouts[ticket] != nil }

    /// The exchange has seen enough, or has ended: who waited for it may connect.
    mutating func opened(by ticket: Ticket, at now: Int64) {
        guard !scouts.isEmpty, let origin = scouts.removeValue(forKey: ticket),
            case .scouted(_, let waiting) = origins.updateValue(.known(at: now), forKey: origin)
        else { return }
        ready += waiting
    }

    /// What is known of the origin has turned out not to be enough: the next one goes first again.
    mutating func forget(_ origin: String) {
        if case .known = origins[origin] { origins[origin] = nil }
    }

    /// One that waited and may connect now; to be asked outside of libcurl's callbacks, in which nothing new may begin.
    mutating func nextReady() -> Ticket? { ready.popLast() }

    private mutating func forgetKnown() {
        origins = origins.filter { _, knowledge in
            if case .scouted = knowledge { true } else { false }
        }
    }
}
