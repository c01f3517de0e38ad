/// One connection of a download.
struct SegmentMember {
    enum State {
        /// No response yet. The connection whose range it will take over continues meanwhile, so that a refusal costs nothing.
        case requested(behind: Ticket?)
        case receiving
        /// It received this response, which is not the requested range of this version, and ends.
        case refused(ResponseHead)
        /// It delivers nothing more.
        case ending
    }

    var state: State
    /// Its index on the board of sources.
    var place = 0
    var source = SegmentAction.Source.servingURL
    var connection = ConnectionUse.any
    /// Whether its request has the validators as conditions.
    var isConditional = true
    /// Whether its response is shorter than requested.
    var isShort = false
    var clock: RateClock?

    /// The connection whose range it will take over, until its response arrives.
    var predecessor: Ticket? { if case .requested(let other) = state { other } else { nil } }

    var hasResponse: Bool { if case .requested = state { false } else { true } }

    var isAtWork: Bool {
        switch state {
        case .requested, .receiving: true
        case .refused, .ending: false
        }
    }
}

/// The start time and the start offset of a measurement.
struct RateClock {
    var since: Int64
    var position: Int64
}

/// The connections to the download's server, taken together.
struct SegmentLinks {
    /// The last known network path of the first connection.
    var way: PathMetrics?
    /// Whether the first connection allows other requests at the same time.
    let sharesConnection: Bool
    /// How many connections the loop allows, and how many were requested from it.
    var granted = 1
    var requested = 1
    /// The number of idle connections with open windows.
    var warm = 0
    /// Whether the server did not respond over HTTP/1.1.
    var refusesHTTP1 = false
    /// The number of helpers so far.
    var helpers: UInt64 = 0
    /// Whether a further connection was refused, or received something else than this version of the file.
    var refusesParts = false
    /// The end of the bytes that the first connection has written, once it has ended.
    var firstEnd: Int64?

    /// Returns the ticket of a new helper.
    mutating func next(of first: Ticket) -> Ticket {
        helpers += 1
        return .helper(helpers, of: first)
    }

    /// Seconds until a new helper delivers bytes. An existing connection needs one round trip; a new one three, and five more until
    /// its window is open.
    var delay: Double { Double(way?.roundTrip ?? 0) * (warm > 0 ? 1 : 8) / 1e9 }
}

extension Ticket {
    /// The loop counts from 1 and never reaches these numbers.
    private static let firstOfHelpers: UInt64 = 1 << 63

    /// Returns the ticket of a helper, which no other exchange has.
    static func helper(_ number: UInt64, of first: Ticket) -> Ticket {
        Ticket(firstOfHelpers | first.number << 24 | number & 0xFF_FFFF)
    }

    /// Whether the exchange is unknown to the loop.
    package var isOfHelper: Bool { number >= Self.firstOfHelpers }
}
