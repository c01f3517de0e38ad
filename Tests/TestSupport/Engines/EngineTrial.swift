import Glibc
import LonghaulCore
import Testing

/// One run of a rule: it starts exchanges on a stage and waits for their events.
final class EngineTrial {
    struct Started {
        var ticket: Ticket
        var kind: EngineExchange
        var plan: ExchangePlan
    }

    let stage: any EngineStage
    private var lastTicket: UInt64 = 0

    init(_ stage: any EngineStage) { self.stage = stage }

    var engine: any ExchangeEngine { stage.engine }

    func newTicket() -> Ticket {
        lastTicket += 1
        return Ticket(lastTicket)
    }

    /// Starts an exchange. Each has a name, as in a session.
    func start(_ kind: EngineExchange, named name: ExchangeID? = nil) throws -> Started {
        let started = Started(ticket: newTicket(), kind: kind, plan: try stage.plan(kind))
        engine.start(started.plan, as: started.ticket, named: name ?? Self.name(1_000 + lastTicket))
        return started
    }

    static func name(_ number: UInt64) -> ExchangeID {
        ExchangeID(transfer: TransferID(high: 1, low: number), attempt: 1)
    }

    func events(of ticket: Ticket) -> [EngineEvent] { stage.events.filter { $0.ticket == ticket }.map(\.event) }

    func count(_ ticket: Ticket, _ fits: (EngineEvent) -> Bool) -> Int { events(of: ticket).count(where: fits) }

    func hasEnded(_ ticket: Ticket) -> Bool { count(ticket, \.isEnding) > 0 }

    /// Advances the stage until the condition holds.
    func go(_ what: String, until isTrue: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + .patience
        while try !isTrue() {
            guard ContinuousClock.now < deadline else { throw TimedOut(what: what, seen: "\(stage.events)") }
            stage.advance()
        }
    }

    /// Advances the stage a while, in which an engine that waits for nothing continues.
    func pass() { for _ in 0..<12 { stage.advance() } }

    /// Brings an exchange to its end: the engine gets its decisions, and the server answers.
    @discardableResult
    func finish(_ ticket: Ticket) throws -> ExchangeOutcome {
        stage.answer()
        var isReleased = false
        try go("the end of \(ticket)") {
            let events = events(of: ticket)
            if !isReleased, let event = events.last, let decision = Self.decision(after: event) {
                engine.release(ticket, decision)
                isReleased = true
            }
            return events.contains(where: \.isEnding)
        }
        guard case .exchangeEnded(let outcome)? = events(of: ticket).first(where: \.isEnding) else {
            throw Unexpected()
        }
        return outcome
    }

    private static func decision(after event: EngineEvent) -> ReleaseDecision? {
        switch event {
        case .head: .writeFromStart
        case .lastBytesHeld: .sendRest
        default: nil
        }
    }

    /// Lets another exchange begin and end: an event that was on its way has arrived then.
    func passOneExchange() throws {
        let exchange = try start(.request)
        try finish(exchange.ticket)
        engine.recordSettled(exchange.ticket)
        pass()
    }

    /// Returns the exchanges of processes that have ended.
    func survivors() throws -> [SurvivingExchange] {
        let found = Mailbox<[SurvivingExchange]>()
        engine.survivors { found.append($0) }
        return try found.next()
    }
}
