import LonghaulCore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulTesting

/// The models of engines obey the rules of the engines that they replace in tests.
@Suite struct EngineRuleTests {
    @Test(arguments: EngineRule.allCases) func playedEngineObeys(_ rule: EngineRule) throws {
        try rule.check(try PlayedStage())
    }

    @Test(arguments: EngineRule.allCases) func scriptedEngineObeys(_ rule: EngineRule) throws {
        try rule.check(ScriptedStage())
    }

    @Test(arguments: EngineRule.allCases, [false, true]) func simulatedEngineObeys(
        _ rule: EngineRule, _ isCarried: Bool
    ) throws {
        try rule.check(SimulatedStage(isCarried: isCarried))
    }
}

/// The engine of `LonghaulTesting`.
private final class PlayedStage: EngineStage {
    private let server = TestServer()
    private let temporary: TemporaryDirectory
    private let log = Mailbox<(ticket: Ticket, event: EngineEvent)>()
    private var played: PlayedEngine
    private var count = 0
    private var isAnswering = false

    init() throws {
        temporary = try TemporaryDirectory(inMemory: true)
        played = Self.make(server, log)
    }

    private static func make(
        _ server: TestServer, _ log: Mailbox<(ticket: Ticket, event: EngineEvent)>
    ) -> PlayedEngine {
        PlayedEngine(server, board: EngineMonitor(), now: { WallTime(seconds: 0) }) { batch in
            for (ticket, event) in batch { log.append((ticket, event)) }
        }
    }

    var engine: any ExchangeEngine { played }
    var events: [(ticket: Ticket, event: EngineEvent)] { log.all }

    func plan(_ kind: EngineExchange) throws -> ExchangePlan {
        count += 1
        let (url, path) = ("http://server.test/\(count)", temporary.path("\(count)"))
        switch kind {
        case .request, .heldUpload: server.answer(url, with: .status(200))
        case .pendingUpload: server.answer(url, with: isAnswering ? .status(200) : .status(200).held())
        case .download, .changedDownload:
            server.answer(url, with: .file([UInt8](repeating: 1, count: Int(fileLength)), version: "2"))
        }
        if kind == .changedDownload {
            try temporary.write([UInt8](repeating: 2, count: Int(keptLength)), to: "\(count)")
        }
        return plan(kind, url: url, partial: path)
    }

    /// Everything happens within the calls.
    func advance() {}

    func answer() {
        isAnswering = true
        server.release()
    }

    func restart() {
        played.shutDown()
        played = Self.make(server, log)
    }
}

/// The engine whose jobs a test answers: here a small server does.
private final class ScriptedStage: EngineStage {
    private let log = Mailbox<(ticket: Ticket, event: EngineEvent)>()
    private var scripted: ScriptedEngine
    private var count = 0
    private var isAnswering = false
    /// Jobs whose first event was sent.
    private var begun: Set<Ticket> = []
    private var files: [String: Int64] = [:]

    init() {
        scripted = ScriptedEngine()
        scripted.setSink { [log] in log.append(($0, $1)) }
    }

    var engine: any ExchangeEngine { scripted }
    var events: [(ticket: Ticket, event: EngineEvent)] { log.all }

    func plan(_ kind: EngineExchange) -> ExchangePlan {
        count += 1
        if kind == .changedDownload { files["\(count)"] = keptLength }
        return plan(kind, url: "http://server.test/", partial: "\(count)")
    }

    func length(of path: String) -> Int64? { files[path] }
    func answer() { isAnswering = true }

    func restart() {
        scripted.shutDown()
        scripted = ScriptedEngine()
        scripted.setSink { [log] in log.append(($0, $1)) }
    }

    func advance() {
        for job in scripted.runningJobs {
            guard case .exchange(let plan) = job.work else { continue }
            let isFirst = begun.insert(job.ticket).inserted
            let decisions = scripted.releases.filter { $0.ticket == job.ticket }.map(\.decision)
            switch (plan.sink, plan.body) {
            case (.partial(let partial), _):
                receive(partial, isFirst, decisions, job.ticket)
            case (.memory, nil): scripted.emit(job.ticket, Self.end())
            case (.memory, let body?):
                send(body, isFirst, decisions, job.ticket)
            }
        }
    }

    private func send(_ body: BodyPlan, _ isFirst: Bool, _ decisions: [ReleaseDecision], _ ticket: Ticket) {
        if isFirst {
            if !body.holdsLastBytes {
                scripted.setProgress(ExchangeProgress(sent: body.length, received: 0), of: ticket)
            }
            return scripted.emit(ticket, body.holdsLastBytes ? .lastBytesHeld : .bodySent)
        }
        guard body.holdsLastBytes ? decisions.contains(.sendRest) : isAnswering else { return }
        scripted.emit(ticket, Self.end())
    }

    private func receive(_ plan: PartialPlan, _ isFirst: Bool, _ decisions: [ReleaseDecision], _ ticket: Ticket) {
        let head = ResponseHead(status: 200, headers: [], effectiveURL: "")
        if plan.resume != nil, isFirst { return scripted.emit(ticket, .head(head)) }
        var path = plan.resume == nil ? plan.path : nil
        for decision in decisions {
            switch decision {
            case .writeFromStart: path = plan.path
            case .writeBeside(let other): path = other
            case .sendRest, .openSegments: break
            }
        }
        guard let path else { return }
        files[path] = fileLength
        scripted.emit(ticket, .receiving(head))
        scripted.emit(ticket, Self.end(.written(length: fileLength, isComplete: true)))
    }

    private static func end(_ disposition: ExchangeOutcome.Disposition = .none) -> EngineEvent {
        let head = ResponseHead(status: 200, headers: [], effectiveURL: "")
        return .exchangeEnded(ExchangeOutcome(ending: .responded, head: head, disposition: disposition))
    }
}

/// The engines of the crash tests.
private final class SimulatedStage: EngineStage {
    private let world = SimulatedWorld()
    private let isCarried: Bool
    private var simulated: any SteppedEngine
    private(set) var events: [(ticket: Ticket, event: EngineEvent)] = []
    private var count = 0

    init(isCarried: Bool) {
        self.isCarried = isCarried
        simulated = isCarried ? SimulatedCarrier(world) : SimulatedEngine(world)
    }

    var engine: any ExchangeEngine { simulated }
    var fileLength: Int64 { SimulatedWorld.fileSize }

    func plan(_ kind: EngineExchange) -> ExchangePlan {
        count += 1
        let path = "/partial/\(count)"
        let url =
            switch kind {
            case .request, .heldUpload: "http://up.test/now"
            case .pendingUpload: SimulatedWorld.silent
            case .download: "http://files.test/film.mp4"
            case .changedDownload: SimulatedWorld.changed
            }
        if kind == .changedDownload {
            world.update { $0.partials[path] = SimulatedWorld.Partial(identity: 0, length: keptLength) }
        }
        return plan(kind, url: url, partial: path)
    }

    func length(of path: String) -> Int64? { world.now.partials[path]?.length }
    func advance() { events += simulated.advance().map { ($0.0, $0.1) } }
    func answer() { world.update { $0.answersSilent = true } }

    func restart() {
        simulated.shutDown()
        simulated = isCarried ? SimulatedCarrier(world) : SimulatedEngine(world)
    }
}
