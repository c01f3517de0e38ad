import LonghaulCore

/// What the engine has to tell, in one go for each turn of the network thread.
struct Outbox {
    /// Where it is told. It is called outside of any change of the outbox.
    let sink: NetworkThread.Sink
    private var events: [(Ticket, EngineEvent)] = []

    init(_ sink: @escaping NetworkThread.Sink) {
        self.sink = sink
    }

    mutating func add(_ ticket: Ticket, _ event: EngineEvent) { events.append((ticket, event)) }

    mutating func take() -> [(Ticket, EngineEvent)] {
        guard !events.isEmpty else { return [] }
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }
}
