import LonghaulCore
import TestSupport

/// A download over several connections, in which the test plays the loop's part.
extension World {
    func segmented(
        _ path: String, _ segments: Int? = 4, map: SegmentMap? = nil, total: Int64? = nil,
        digests: Set<Digest.Algorithm> = []
    ) -> ExchangePlan {
        var resume: ResumePoint?
        if let map {
            let validators = Validators(entityTag: "\"v1\"", lastModified: nil, isSoft: false, total: total)
            if case .resume(let point) = ResumeLadder.plan(map, validators: validators, hasTrustedDigest: false) {
                resume = point
            }
        }
        var plan = download(path, digests: digests)
        if let resume { plan.headers = [plan.headers[0]] + ResumeLadder.headers(for: resume) }
        var partial = PartialPlan(path: partial, resume: resume, digests: digests)
        partial.segments = segments
        plan.sink = .partial(partial)
        // A connection that waits for another has not failed, even on a busy machine.
        plan.network.timeoutIntervalForRequest = .seconds(600)
        return plan
    }

    /// Grants the requested connections at once, and lets the file have holes.
    func spread(_ ticket: Ticket, over connections: Int = 64) throws {
        _ = try next(ticket) { if case .connectionsWanted(let count) = $0 { count > 1 } else { false } }
        engine.setConnections(connections, of: ticket)
        _ = try next(ticket) { if case .parts = $0 { true } else { false } }
        engine.release(ticket, .openSegments)
    }

    func fetch(_ plan: ExchangePlan) throws -> ExchangeOutcome {
        let ticket = start(.exchange(plan))
        try spread(ticket)
        return try outcomeOfStalled(ticket)
    }

    /// Waits for the end of a download whose first connection stalls until the engine has measured that.
    func outcomeOfStalled(_ ticket: Ticket) throws -> ExchangeOutcome {
        try outcome(of: ticket, advancingBy: .milliseconds(250))
    }

    /// Returns the last reported map.
    func map(of ticket: Ticket) -> SegmentMap? {
        events(of: ticket).compactMap { if case .parts(let map) = $0 { map } else { nil } }.last
    }
}

extension Route {
    /// Sends the whole body to the first request, and stalls after a megabyte until the latch is open. Range requests
    /// get `part`, which is called with the number of earlier ones.
    static func standing(
        _ content: Content, at latch: Latch, then part: @escaping @Sendable (ReceivedRequest, Int) -> Reply
    ) -> Route {
        .decided { request, visit in
            guard visit > 0 else {
                return .file(content, etag: "\"v1\"")
                    .stalled(after: 1 << 20, by: latch)
            }
            return part(request, visit - 1)
        }
    }
}
