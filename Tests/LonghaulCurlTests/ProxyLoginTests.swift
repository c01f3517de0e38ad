import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulCurl

/// Logins to HTTP proxies.
@Suite(.tags(.libcurl), .onEachPath) struct ProxyLoginTests {
    private static let digest = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"

    /// A proxy's refusals, as the network thread processes them.
    private final class Trial {
        var logins = ProxyLogins()
        let proxy: ProxyAddress
        let isTunnel: Bool

        init(_ proxy: String, isTunnel: Bool) throws {
            self.proxy = try ProxyAddress(parsing: proxy)
            self.isTunnel = isTunnel
        }

        func repeats(after offers: String, answers: Int = 0) -> Bool {
            logins.receive(Challenge.all(in: [offers]), from: proxy, isTunnel: isTunnel, afterAnswers: answers)
        }
    }

    @Test(arguments: [true, false]) func digestIsUsedUnlessBasicIsOffered(isTunnel: Bool) throws {
        let trial = try Trial("http://ada:pw@p:1", isTunnel: isTunnel)
        #expect(!trial.repeats(after: "Basic realm=r") && !trial.repeats(after: Self.digest + ", Basic realm=r"))
        #expect(trial.logins.isEmpty && trial.repeats(after: Self.digest))
        #expect(trial.logins.scheme(for: trial.proxy) == .digest)
        // The password is wrong.
        #expect(!trial.repeats(after: Self.digest, answers: 1) && trial.logins.isEmpty)
    }

    @Test func expiredNonceIsRenewedAFewTimes() throws {
        let trial = try Trial("http://ada:pw@p:1", isTunnel: false)
        #expect(trial.repeats(after: Self.digest) && trial.repeats(after: Self.digest))
        let stale = Self.digest + ", stale=true"
        #expect(trial.repeats(after: stale, answers: 2) && !trial.repeats(after: stale, answers: 3))
    }

    @Test func digestIsAbsentWithoutPassword() throws {
        let trial = try Trial("http://p:1", isTunnel: false)
        #expect(!trial.repeats(after: Self.digest))
        let url = try TransferURL(parsing: "http://h/a")
        let header = trial.logins.header(for: trial.proxy, method: "GET", url: url)
        #expect(header == nil)
    }

    /// The proxy is the test server, which gets the whole URL as the target.
    @Test(arguments: [true, false]) func plainRequestAnswersTheProxysChallenge(isRight: Bool) throws {
        let route = Route.decided { request, _ in
            let answer = request.headers.single("Proxy-Authorization") ?? ""
            guard answer.hasPrefix("Digest "), isRight else {
                return .status(407, headers: [HeaderField("Proxy-Authenticate", Self.digest)])
            }
            return .status(200, body: "ok")
        }
        let world = try World(["*": route])
        var plan = world.request("GET", "/")
        plan.url = "http://server.test/a?b"
        plan.network.proxy = world.server.url("").replacing("://", with: "://ada:pw@")
        for _ in 1...2 {
            let outcome = try world.exchange(plan)
            #expect(outcome.head?.status == (isRight ? 200 : 407), "\(outcome)")
        }
        let answers = world.server.requests.map { $0.headers.single("Proxy-Authorization")?.prefix(6) ?? "" }
        // The second exchange knows the challenge, unless its answer was rejected.
        #expect(answers == (isRight ? ["Basic ", "Digest", "Digest"] : ["Basic ", "Digest", "Basic ", "Digest"]))
    }
}
