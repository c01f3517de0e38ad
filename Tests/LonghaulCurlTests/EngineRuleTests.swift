import Glibc
import LonghaulCore
import LonghaulCurl
import LonghaulFiles
import TestSupport
import Testing

@Suite(.tags(.libcurl), .onEachPath) struct EngineRuleTests {
    @Test(arguments: EngineRule.allCases) func libcurlEngineObeys(_ rule: EngineRule) throws {
        try rule.check(try CurlStage())
    }
}

private final class CurlStage: EngineStage {
    private let server: NastyServer
    private let directory: TemporaryDirectory
    private let log = TestSupport.Mailbox<(ticket: Ticket, event: EngineEvent)>()
    private let answers = Latch()
    private var whole: Engine
    private var count = 0

    init() throws {
        let content = Content(seed: 1, length: 150_000)
        server = try NastyServer(routes: [
            "/now": Route(.status(200)), "/pending": Route(.status(200).held(by: answers)),
            "/file": Route(.file(content, etag: "\"2\"")),
        ])
        directory = try TemporaryDirectory()
        whole = try Self.make(log)
    }

    deinit {
        whole.shutDown()
        answers.open()
        server.stop()
    }

    private static func make(_ log: TestSupport.Mailbox<(ticket: Ticket, event: EngineEvent)>) throws -> Engine {
        try Engine.overLibcurl { batch in for (ticket, event) in batch { log.append((ticket, event)) } }
    }

    var engine: any ExchangeEngine { whole.exchanges }
    var events: [(ticket: Ticket, event: EngineEvent)] { log.all }

    func plan(_ kind: EngineExchange) throws -> ExchangePlan {
        count += 1
        let path =
            switch kind {
            case .request, .heldUpload: "/now"
            case .pendingUpload: "/pending"
            case .download, .changedDownload: "/file"
            }
        if kind == .changedDownload {
            try directory.write([UInt8](repeating: 2, count: Int(keptLength)), to: "\(count)")
        }
        return plan(kind, url: server.url(path), partial: directory.path("\(count)"), network: server.network)
    }

    func advance() { usleep(2_000) }
    func answer() { answers.open() }

    func restart() throws {
        whole.shutDown()
        whole = try Self.make(log)
    }
}
