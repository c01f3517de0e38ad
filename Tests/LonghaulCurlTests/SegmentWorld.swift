import LonghaulCore
import TestSupport

/// A download over several connections, with the part of the loop played by the test.
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
        // One that waits for another is no broken one, also on a busy machine.
        plan.network.timeoutIntervalForRequest = .seconds(600)
        return plan
    }

    /// Grants what it wants, as soon as it wants it, and lets the file have holes.
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

    /// The last map that was told.
    func map(of ticket: Ticket) -> SegmentMap? {
        events(of: ticket).compactMap { if case .parts(let map) = $0 { map } else { nil } }.last
    }
}

extension Route {
    /// The first request is answered with everything, and stands still after a megabyte until the gate is open; those for a part
    /// get `part`, which is told how many there were before.
    static func standing(
        _ content: Content, at gate: Gate, then part: @escaping @Sendable (ReceivedRequest, Int) -> Reply
    ) -> Route {
        .decided { request, visit in
            guard visit > 0 else {
                return .file(content, etag: "\"v1\"")
                    .stalled(after: 1 << 20, by: gate)
            }
            return part(request, visit - 1)
        }
    }
}
