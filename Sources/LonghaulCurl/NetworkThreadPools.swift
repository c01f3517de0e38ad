import LonghaulCore

/// Work that libcurl's callbacks postpone until libcurl has returned.
struct DeferredEvents {
    var segmentPools = SegmentPoolEvents()
    /// Exchanges whose connection is about to be taken over.
    var takingOver: [Exchange] = []
    /// Exchanges that received their final response before they had sent everything.
    var endingSending: [Exchange] = []
    /// Unread bytes of closed connections.
    var unreadResponses = UnreadResponses()
    /// Connections that were ended because their peers were dead.
    var dead = DeadConnections()
    /// Sockets that libcurl has opened and not closed, each with the exchange that used it last.
    var openSockets: [Int32: Ticket] = [:]
    /// The sockets of idle connections with HTTP/1.1.
    var idleSockets: Set<Int32> = []
}

/// Events of group members that the groups have not processed yet. They come from libcurl's callbacks, in which no
/// exchange may start or end.
struct SegmentPoolEvents {
    private var news: [(Exchange, EngineEvent)] = []
    private var idle: [SegmentPool] = []

    mutating func add(_ exchange: Exchange, _ event: EngineEvent) { news.append((exchange, event)) }

    mutating func takeEvents() -> [(Exchange, EngineEvent)] {
        guard !news.isEmpty else { return [] }
        defer { news = [] }
        return news
    }

    /// Adds a group with a member that has received its whole range, and is still writing it.
    mutating func add(idle segmentPool: SegmentPool) { idle.append(segmentPool) }

    mutating func takeIdle() -> [SegmentPool] {
        defer { idle = [] }
        return idle
    }
}

// Exchanges that download ranges of one file together.
extension NetworkThread {
    subscript(ticket: Ticket) -> Exchange? { exchanges[ticket] }

    func makeHelper(_ ticket: Ticket, _ plan: ExchangePlan, to url: TransferURL, for first: Exchange) -> Exchange {
        let helper = Exchange(
            ticket: ticket, plan: plan, url: url, cookies: first.identity.cookies,
            progress: first.progress, thread: self)
        helper.identity.stayAway(with: first.identity)
        add(helper)
        return helper
    }

    /// Checks all exchanges within this time.
    func checkSoon(_ interval: Int64) { watches.check(by: now + interval) }

    func deliverPoolEvents() {
        for segmentPool in deferred.segmentPools.takeIdle() { segmentPool.measure() }
        while case let news = deferred.segmentPools.takeEvents(), !news.isEmpty {
            for (exchange, event) in news { exchange.segmentPool?.process(event, from: exchange) }
        }
    }
}
