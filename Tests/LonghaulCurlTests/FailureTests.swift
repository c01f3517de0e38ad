import LonghaulCore
import TestSupport
import Testing

/// The failures of a connection.
@Suite(.tags(.libcurl), .onEachPath) struct FailureTests {
    private func outcome(_ url: String, _ change: (inout ExchangePlan) -> Void = { _ in }) throws -> ExchangeOutcome {
        let world = try World()
        var plan = world.request("GET", "/")
        plan.url = url
        change(&plan)
        return try world.exchange(plan)
    }

    @Test func aRefusedConnection() throws {
        let port = try NastyServer.refusingPort()
        let outcome = try outcome("http://user:secret@127.0.0.1:\(port)/x?token=abc")
        let failure = try #require(outcome.failure)
        #expect(failure.code == .connectionRefused && failure.origin == .curl(7) && !outcome.requestLeft)
        #expect(failure.message.hasPrefix("127.0.0.1:\(port) refused the connection."))
        #expect(!failure.message.contains("secret") && !failure.message.contains("abc"))
    }

    @Test func aNameThatIsNowhere() throws {
        let name = String(repeating: "x", count: 64) + ".invalid"
        let outcome = try outcome("http://\(name)/")
        let code = try #require(outcome.failure).code
        #expect((code == .hostNotFound || code == .offline) && !outcome.requestLeft)
    }

    @Test func aURLOfAnotherScheme() throws {
        #expect(try outcome("ftp://127.0.0.1/").failure?.code == .unsupportedScheme)
    }

    @Test func progressReportsStallDuration() throws {
        let latch = Latch()
        let content = Content(seed: 1, length: 1_000_000)
        let world = try World(["/s": Route(.file(content).stalled(after: 300_000, by: latch))])
        var plan = world.download("/s")
        plan.network.timeoutIntervalForRequest = .zero
        let ticket = world.start(.exchange(plan))
        world.waitUntilReceived(300_000, ticket)
        let first = try #require(world.engine.progress(of: ticket))
        try world.advance(by: .seconds(600))
        let second = try #require(world.engine.progress(of: ticket))
        #expect(second.received == first.received && second.quiet >= first.quiet + .seconds(600))
        latch.open()
        #expect(try world.outcome(of: ticket).ending == .responded)
    }

    @Test func aServerThatHangsUp() throws {
        let world = try World(["/s": Route(Reply().ending(.closesUnanswered))])
        let outcome = try world.exchange(world.request("GET", "/s"))
        #expect(outcome.failure?.code == .connectionLost && outcome.requestLeft && outcome.head == nil)
    }

    @Test func aProxyThatIsNotThere() throws {
        let port = try NastyServer.refusingPort()
        let outcome = try outcome("http://127.0.0.1/") { $0.network.proxy = "http://127.0.0.1:\(port)" }
        #expect(outcome.failure?.code == .proxyFailed)
        #expect(
            outcome.failure?.message
                == "Could not connect to the proxy 127.0.0.1:\(port): Connection refused. Check the proxy setting.")
    }

    @Test func proxyLoginIsNotInTheFailure() throws {
        let port = try NastyServer.refusingPort()
        let outcome = try outcome("http://127.0.0.1/") { $0.network.proxy = "http://ada:s3cret@127.0.0.1:\(port)/" }
        let message = try #require(outcome.failure?.message)
        #expect(message.contains("the proxy 127.0.0.1:\(port)") && !message.contains("s3cret"), "\(message)")
    }

    @Test(arguments: [
        ("nonsense", "nonsense:1080"), ("http://u:p@[::1]/", "[::1]:1080"), ("https://p.example", "p.example:443"),
        ("socks5h://p.example:9050", "p.example:9050"),
    ]) func endpointOfProxyHasItsPort(proxy: String, endpoint: String) throws {
        #expect(try ProxyAddress(parsing: proxy).endpoint == endpoint)
    }

    @Test func aFieldThatBreaksOut() throws {
        let outcome = try outcome("http://127.0.0.1/") { $0.headers = [HeaderField("X", "a\r\nY: b")] }
        #expect(outcome.failure?.code == .invalidArgument && !outcome.requestLeft)
    }
}
