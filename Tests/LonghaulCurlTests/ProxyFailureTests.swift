import LonghaulCore
import TestSupport
import Testing

/// Failures of proxies, sorted by their causes.
@Suite(.tags(.libcurl), .onEachPath) struct ProxyFailureTests {
    private func exchange(through proxy: String, _ url: String = "http://server.test:81/") throws -> ExchangeOutcome {
        let world = try World()
        var plan = world.request("GET", "/")
        plan.url = url
        plan.network.proxy = proxy
        return try world.exchange(plan)
    }

    @Test(
        arguments: [
            ("", .credentialsRequired, "requires a user name"),
            ("ada:wr0ng@", .credentialsRequired, "rejected the user"),
            ("ada:s3cret@", nil, ""), ("ada:s3%63ret@", nil, ""),
        ] as [(String, FailureCode?, String)])
    func socksLoginDecides(login: String, code: FailureCode?, reason: String) throws {
        let peer = try SocksPeer(SocksPeer.Script(login: "ada:s3cret"))
        let outcome = try exchange(through: "socks5h://\(login)127.0.0.1:\(peer.port)")
        #expect(outcome.failure?.code == code && peer.connectionCount == 1, "\(outcome)")
        guard code != nil else { return #expect(outcome.head?.status == 200) }
        let message = try #require(outcome.failure?.message)
        #expect(message.contains(reason) && message.contains("127.0.0.1:\(peer.port)") && !message.contains("wr0ng"))
    }

    @Test func passwordMayContainAnAtSign() throws {
        let peer = try SocksPeer(SocksPeer.Script(login: "ada:p@ss:/?#"))
        let outcome = try exchange(through: "socks5h://ada:p@ss:/?#@127.0.0.1:\(peer.port)")
        #expect(outcome.head?.status == 200, "\(outcome)")
    }

    @Test(
        arguments: [
            (1, .proxyFailed, .later(countsAttempt: true)), (2, .proxyFailed, .never),
            (3, .connectionFailed, .later(countsAttempt: true)), (4, .connectionFailed, .later(countsAttempt: true)),
            (5, .connectionRefused, .later(countsAttempt: true)), (6, .connectionFailed, .later(countsAttempt: true)),
            (7, .proxyFailed, .never), (8, .proxyFailed, .never),
        ] as [(UInt8, FailureCode, RetryAdvice)])
    func socksReplyHasItsCode(reply: UInt8, code: FailureCode, advice: RetryAdvice) throws {
        let peer = try SocksPeer(SocksPeer.Script(reply: reply))
        let failure = try #require(try exchange(through: "socks5h://127.0.0.1:\(peer.port)").failure)
        #expect(failure.code == code && RetryPolicy.decide(failure, headers: []) == advice, "\(failure)")
        #expect(failure.message.contains("127.0.0.1:\(peer.port)") && failure.message.contains("server.test:81"))
    }

    @Test func serverOfAnotherProtocolIsNoSocksProxy() throws {
        let peer = try SocksPeer(SocksPeer.Script(noise: "HTTP/1.1 400 Bad Request\r\n\r\n"))
        let failure = try #require(try exchange(through: "socks5h://127.0.0.1:\(peer.port)").failure)
        #expect(RetryPolicy.decide(failure, headers: []) == .never, "\(failure)")
        #expect(failure.message.contains("is not that of a SOCKS proxy"), "\(failure)")
    }

    /// libcurl reports the end of the tunnel like the end of the server's connection.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n"
            + String(repeating: "X-Pad: " + String(repeating: "y", count: 1_000) + "\r\n", count: 400),
        "HTTP/1.1 200 OK\r\nX-Pad: " + String(repeating: "y", count: 400_000), "",
    ]) func proxyThatFailsToConnectIsNamed(noise: String) throws {
        let peer = try SocksPeer(SocksPeer.Script(noise: noise))
        let proxy = "http://127.0.0.1:\(peer.port)"
        let failure = try #require(try exchange(through: proxy, "https://server.test:81/").failure)
        #expect(
            failure.message.contains("The proxy 127.0.0.1:\(peer.port)")
                || failure.message.contains("the proxy 127.0.0.1:\(peer.port)"))
        #expect(failure.code == .proxyFailed && failure.message.contains("server.test:81"), "\(failure)")
        #expect(RetryPolicy.decide(failure, headers: []) == .later(countsAttempt: true))
    }

    @Test(.enabled(if: Nginx.missing == nil, "nginx is needed"), arguments: ["http", "https"])
    func proxyThatDoesNotSpeakTLSIsNamed(scheme: String) throws {
        let nginx = try Transport.$current.withValue(.http1) { try Nginx() }
        let endpoint = nginx.url("").replacing("http://", with: "")
        let failure = try #require(try exchange(through: "https://" + endpoint, scheme + "://server.test:81/").failure)
        #expect(RetryPolicy.decide(failure, headers: []) == .never, "\(failure)")
        #expect(failure.message.hasPrefix("The proxy \(endpoint) does not speak TLS"), "\(failure)")
    }

    @Test(arguments: ["htp://ada:s3cret@bad", "http://ada:s3cret@p:port"])
    func unusableProxyEndsTheTransfer(proxy: String) throws {
        let failure = try #require(try exchange(through: proxy).failure)
        #expect(failure.code == .proxyFailed && RetryPolicy.decide(failure, headers: []) == .never, "\(failure)")
        #expect(failure.message.contains("Cannot use the proxy") && !failure.message.contains("s3cret"))
    }

    @Test func unknownProxyCountsAsUnknownHost() throws {
        let failure = try #require(
            try exchange(through: "http://\(String(repeating: "x", count: 64)).invalid:1").failure)
        #expect([.proxyFailed, .offline].contains(failure.code) && failure.origin == .curl(5), "\(failure)")
    }

    @Test(arguments: [(403, RetryAdvice.never), (503, .later(countsAttempt: true))])
    func tunnelRefusalIsJudgedByItsStatus(status: Int, advice: RetryAdvice) throws {
        let world = try World(["*": Route(.status(status))])
        var plan = world.request("GET", "/")
        plan.url = "https://127.0.0.1:1/x"
        plan.network.proxy = world.server.url("")
        let failure = try #require(try world.exchange(plan).failure)
        #expect(failure.code == .proxyFailed && RetryPolicy.decide(failure, headers: []) == advice, "\(failure)")
    }
}
