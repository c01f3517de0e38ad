import LonghaulCore

/// The engine's events of one turn of the network thread, which are reported together.
struct Outbox {
    /// The receiver of the events. It is called while the outbox is not being changed.
    let sink: NetworkThread.Sink
    private var events: [(Ticket, EngineEvent)] = []

    init(_ sink: @escaping NetworkThread.Sink) {
        self.sink = sink
    }

    mutating func add(_ ticket: Ticket, _ event: EngineEvent) { events.append((ticket, event)) }

    mutating func takeEvents() -> [(Ticket, EngineEvent)] {
        guard !events.isEmpty else { return [] }
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }
}
