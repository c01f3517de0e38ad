import LonghaulCore

/// What libcurl's callbacks leave for the time when libcurl has returned from them.
struct Afterwards {
    var crews = CrewNews()
    /// Exchanges whose connection is to be taken over.
    var takingOver: [Exchange] = []
    /// Exchanges that got their final response before they had sent all.
    var endingSending: [Exchange] = []
    /// What was still unread on connections that are closed by then.
    var lastWords = LastWords()
    /// Connections that were ended because their peers were dead.
    var dead = DeadConnections()
    /// Sockets that libcurl has opened and not closed.
    var openSockets: Set<Int32> = []
}

/// What the members of crews have told and their crews have not heard yet. They are told from inside libcurl's callbacks, in which
/// nothing may be begun or ended.
struct CrewNews {
    private var news: [(Exchange, EngineEvent)] = []
    private var idle: [SegmentCrew] = []

    mutating func add(_ exchange: Exchange, _ event: EngineEvent) { news.append((exchange, event)) }

    mutating func take() -> [(Exchange, EngineEvent)] {
        guard !news.isEmpty else { return [] }
        defer { news = [] }
        return news
    }

    /// One of its members has brought all that it was sent for, and is still writing it.
    mutating func add(idle crew: SegmentCrew) { idle.append(crew) }

    mutating func takeIdle() -> [SegmentCrew] {
        defer { idle = [] }
        return idle
    }
}

// Those who fetch ranges of one file together.
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

    /// Has all looked at within this time.
    func lookSoon(_ interval: Int64) { watches.look(by: now + interval) }

    func tellCrews() {
        for crew in afterwards.crews.takeIdle() { crew.look() }
        while case let news = afterwards.crews.take(), !news.isEmpty {
            for (exchange, event) in news { exchange.crew?.hear(event, from: exchange) }
        }
    }
}
