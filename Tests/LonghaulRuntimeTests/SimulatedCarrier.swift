import LonghaulCore
import Synchronization

/// An engine that tests advance step by step.
protocol SteppedEngine: ExchangeEngine, FileEngine {
    /// Advances every job by one step, and returns the events in order.
    func advance() -> [(Ticket, EngineEvent)]
}

extension SteppedEngine {
    /// Both parts of the engine: they share one world.
    var whole: Engine { Engine(exchanges: self, files: self) }
}

/// The part of an exchange that the system runs, regardless of the processes.
struct CarriedExchange: Sendable {
    var plan: ExchangePlan
    var stage = 0
    /// Whether its body was sent.
    var isBodySent = false
    var end: ExchangeOutcome?
    /// Whether the system has forgotten it; a note remains of an exchange that must not be repeated.
    var isLost = false
}

/// An engine whose plain uploads and whole downloads are run by the simulated world and outlive it. All other exchanges
/// die with it. An end is kept until the loop has committed its result.
final class SimulatedCarrier: SteppedEngine {
    private let world: SimulatedWorld
    private let own: SimulatedEngine
    private let tickets = Mutex<[Ticket: ExchangeID]>([:])
    /// Ends that were reported, by exchange.
    private let told = Mutex<Set<ExchangeID>>([])

    init(_ world: SimulatedWorld) {
        self.world = world
        own = SimulatedEngine(world)
    }

    var traits: EngineTraits { EngineTraits(holdsLastBytes: false, outlivesProcess: true) }

    func start(_ work: FileWork, as ticket: Ticket) { own.start(work, as: ticket) }

    func start(_ plan: ExchangePlan, as ticket: Ticket, named name: ExchangeID?) {
        guard let exchange = name, SimulatedEngine.isPlain(plan) else {
            return own.start(plan, as: ticket, named: name)
        }
        // An earlier exchange of the same attempt has ended.
        tickets.withLock { tickets in
            tickets = tickets.filter { $0.value != exchange }
            tickets[ticket] = exchange
        }
        _ = told.withLock { $0.remove(exchange) }
        world.update { $0.carried[exchange] = CarriedExchange(plan: plan) }
    }

    func cancel(_ ticket: Ticket) {
        guard let exchange = tickets.withLock({ $0[ticket] }) else { return own.cancel(ticket) }
        world.update { $0.cancelCarried(exchange) }
    }

    func interrupt(_ ticket: Ticket) { own.interrupt(ticket) }
    func release(_ ticket: Ticket, _ decision: ReleaseDecision) { own.release(ticket, decision) }
    func progress(of ticket: Ticket) -> ExchangeProgress? {
        guard let exchange = tickets.withLock({ $0[ticket] }) else { return own.progress(of: ticket) }
        guard let carried = world.now.carried[exchange] else { return nil }
        return ExchangeProgress(sent: carried.isBodySent ? carried.plan.body?.length ?? 0 : 0, received: 0)
    }
    func setRateLimit(_ bytesPerSecond: Int64?, of ticket: Ticket) {}
    func setAllowance(_ bytes: Int64?, of ticket: Ticket) {}
    func shutDown() {
        tickets.withLock { $0 = [:] }
        own.shutDown()
    }

    func recordSettled(_ ticket: Ticket) {
        guard let exchange = tickets.withLock({ $0.removeValue(forKey: ticket) }) else { return }
        world.update { $0.carried[exchange] = nil }
    }

    func survivors(_ reply: @escaping @Sendable ([SurvivingExchange]) -> Void) {
        reply(
            world.now.carried.map { id, exchange in
                SurvivingExchange(
                    id: id, condition: exchange.isLost ? .lost : .carried(isBodySent: exchange.isBodySent),
                    bodyLength: exchange.plan.body?.length)
            })
    }

    func adopt(_ exchange: ExchangeID, as ticket: Ticket) {
        tickets.withLock { $0[ticket] = exchange }
    }

    func drop(_ exchange: ExchangeID) {
        // An exchange that started under this name meanwhile is a different one.
        guard !tickets.withLock({ $0.values.contains(exchange) }) else { return }
        world.update { $0.carried[exchange] = nil }
    }

    func advance() -> [(Ticket, EngineEvent)] {
        var events = own.advance()
        for (ticket, exchange) in tickets.withLock({ $0 }).sorted(by: { $0.key.number < $1.key.number }) {
            guard let before = world.now.carried[exchange], !before.isLost else { continue }
            world.update { $0.carry(exchange) }
            guard let after = world.now.carried[exchange] else { continue }
            if let end = after.end {
                guard told.withLock({ $0.insert(exchange).inserted }) else { continue }
                // The system's file is on the disk: a power failure does not change it.
                if case .written(let length, _) = end.disposition {
                    events += [(ticket, .receiving(.file())), (ticket, .checkpoint(length))]
                }
                events.append((ticket, .exchangeEnded(end)))
            } else if after.isBodySent, !before.isBodySent {
                events.append((ticket, .bodySent))
            }
        }
        return events
    }
}

extension SimulatedEngine {
    /// Whether it is an upload or request in one exchange, or the download of a whole file.
    static func isPlain(_ plan: ExchangePlan) -> Bool {
        switch plan.sink {
        case .partial(let partial): partial.resume == nil
        case .memory: plan.headers.single("Tus-Resumable") == nil && plan.method != "OPTIONS"
        }
    }
}

extension SimulatedWorld.State {
    /// The system continues its exchanges.
    mutating func carryAll() {
        for exchange in carried.keys { carry(exchange) }
    }

    mutating func carry(_ id: ExchangeID) {
        guard var exchange = carried[id], exchange.end == nil, !exchange.isLost else { return }
        exchange.stage += 1
        switch exchange.plan.sink {
        case .partial(let partial) where exchange.stage == 3:
            let size = SimulatedWorld.fileSize
            partials[partial.path] = SimulatedWorld.Partial(
                identity: nextIdentity, length: size, good: SegmentMap([0..<size]), synced: SegmentMap([0..<size]))
            nextIdentity += 1
            exchange.end = ExchangeOutcome(
                ending: .responded, head: .file(), disposition: .written(length: size, isComplete: true))
        case .partial: break
        case .memory where exchange.stage == 2:
            deliveries[exchange.plan.url, default: 0] += 1
            exchange.isBodySent = true
        case .memory where exchange.stage >= 4 && (exchange.plan.url != SimulatedWorld.silent || answersSilent):
            exchange.end = ExchangeOutcome(
                ending: .responded, head: .ok(200), bytesSent: exchange.plan.body?.length ?? 0)
        case .memory: break
        }
        carried[id] = exchange
    }

    mutating func cancelCarried(_ id: ExchangeID) {
        guard let exchange = carried[id], exchange.end == nil else { return }
        let sent = exchange.isBodySent ? exchange.plan.body?.length ?? 0 : 0
        carried[id]?.end = ExchangeOutcome(
            ending: .cancelled, requestLeft: exchange.isBodySent, bytesSent: sent, mayHaveArrived: exchange.isBodySent)
    }

    /// The system forgets all its exchanges. A note remains of those that must not be repeated.
    mutating func loseCarried() {
        for (id, exchange) in carried {
            if exchange.plan.body?.holdsLastBytes ?? false { carried[id]?.isLost = true } else { carried[id] = nil }
        }
    }
}
