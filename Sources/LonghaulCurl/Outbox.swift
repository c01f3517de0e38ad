import LonghaulCore

/// What the engine has to tell, in one go for each turn of the network thread.
struct Outbox {
    private let sink: NetworkThread.Sink
    private var events: [(Ticket, EngineEvent)] = []

    init(_ sink: @escaping NetworkThread.Sink) {
        self.sink = sink
    }

    mutating func add(_ ticket: Ticket, _ event: EngineEvent) { events.append((ticket, event)) }

    mutating func flush() {
        guard !events.isEmpty else { return }
        let batch = events
        events.removeAll(keepingCapacity: true)
        sink(batch)
    }
}
