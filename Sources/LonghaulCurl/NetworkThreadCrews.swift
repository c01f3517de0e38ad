import LonghaulCore

/// What the members of crews have told and their crews have not heard yet. They are told from inside libcurl's callbacks, in which
/// nothing may be begun or ended.
struct CrewNews {
    private var news: [(Exchange, EngineEvent)] = []
    private var lastTicket = Ticket.firstOfHelpers

    mutating func add(_ exchange: Exchange, _ event: EngineEvent) { news.append((exchange, event)) }

    mutating func take() -> [(Exchange, EngineEvent)] {
        guard !news.isEmpty else { return [] }
        defer { news = [] }
        return news
    }

    mutating func makeTicket() -> Ticket {
        lastTicket = Ticket(lastTicket.number + 1)
        return lastTicket
    }
}

extension Ticket {
    /// The loop counts from 1 and never comes here.
    fileprivate static let firstOfHelpers = Ticket(1 << 63)

    /// Whether it names an exchange that the loop knows nothing of.
    var isOfHelper: Bool { number >= Self.firstOfHelpers.number }
}
