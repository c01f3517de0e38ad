import Foundation
import FoundationDouble
import LonghaulCore
import LonghaulSystem
import Synchronization
import TestSupport
import Testing

@testable import LonghaulApple
@testable import LonghaulURLSession

extension AppleSystems {
    @Suite struct EngineRuleTests {
        @Test(arguments: EngineRule.allCases, [SystemEngine.Lane.front, .back]) func systemEngineObeys(
            _ rule: EngineRule, _ lane: SystemEngine.Lane
        ) throws {
            let stage = try SystemStage(lane)
            try rule.check(stage)
            #expect(stage.device.violations.isEmpty)
        }
    }
}

/// The engine over the system's sessions. An exchange of the foreground session ends with its process.
private final class SystemStage: EngineStage {
    let device = SimulatedDevice()
    private let lane: SystemEngine.Lane
    private let temporary: TemporaryDirectory
    private let log = Mailbox<(ticket: Ticket, event: EngineEvent)>()
    private let hasAnswer = Mark()
    private var made: SystemEngine
    private var count = 0

    init(_ lane: SystemEngine.Lane) throws {
        self.lane = lane
        SimulatedDevice.current = device
        temporary = try TemporaryDirectory()
        made = try Self.make(temporary, lane, log)
        let film = Data(repeating: 1, count: 150_000)
        let hasAnswer = self.hasAnswer
        device.changeNetwork { network in
            network.server = { request, _ in
                switch request.url?.path {
                case "/file": .init(200, ["ETag": "\"2\""], film)
                case "/pending": hasAnswer.isSet ? .init(200) : nil
                default: .init(200)
                }
            }
        }
    }

    private static func make(
        _ temporary: TemporaryDirectory, _ lane: SystemEngine.Lane,
        _ log: Mailbox<(ticket: Ticket, event: EngineEvent)>
    ) throws -> SystemEngine {
        let engine = try SystemEngine(
            BackgroundSessionOptions(identifier: "org.example"), directory: temporary.path("exchanges"),
            sessions: SystemSessions(), settling: 0.05
        ) { batch in for (ticket, event) in batch { log.append((ticket, event)) } }
        engine.setLane(lane)
        return engine
    }

    var engine: any ExchangeEngine { made }
    var events: [(ticket: Ticket, event: EngineEvent)] { log.all }
    var outlivesProcess: Bool { lane == .back }

    func plan(_ kind: EngineExchange) throws -> ExchangePlan {
        count += 1
        let path =
            switch kind {
            case .request, .heldUpload: "/now"
            case .pendingUpload: "/pending"
            case .download, .changedDownload: "/file"
            }
        if kind == .changedDownload {
            try temporary.write([UInt8](repeating: 2, count: Int(keptLength)), to: "\(count)")
        }
        return plan(kind, url: "http://server.example" + path, partial: temporary.path("\(count)"))
    }

    func advance() {
        device.step()
        usleep(1_000)
    }

    func answer() { hasAnswer.set() }

    func restart() throws {
        made.shutDown()
        device.enter(.dead)
        device.enter(.foreground)
        made = try Self.make(temporary, lane, log)
    }
}
