import LonghaulCore
import Testing

@Suite struct RedirectRuleTests {
    private func decide(
        _ status: Int, to location: String? = "/new", from: String = "https://a/old", method: String = "GET",
        hasBody: Bool = false, repeating: Bool = false, hops: Int = 0
    ) throws -> RedirectDecision {
        RedirectRule.decide(
            status: status, location: location, from: try TransferURL(parsing: from), followsOnlyRepeating: repeating,
            method: method, hasBody: hasBody, hops: hops, limit: 5)
    }

    private func outcome(_ decision: RedirectDecision) -> String {
        switch decision {
        case .notARedirect: "none"
        case .follow(let url, let method, let drops): "\(method) \(url.text)\(drops ? " bare" : "")"
        case .refuse(let failure): failure.code == .redirectRefused ? "refused" : failure.code.rawValue
        }
    }

    @Test(arguments: [
        ("GET", false, [301, 302, 303, 307, 308], "GET"), ("HEAD", false, [301, 302, 303, 307, 308], "HEAD"),
        ("POST", false, [303], "GET"), ("POST", true, [303], "GET"), ("POST", true, [307, 308], "POST"),
        ("PUT", true, [307, 308], "PUT"), ("DELETE", false, [301, 302, 307, 308], "DELETE"),
        ("DELETE", false, [303], "GET"),
    ])
    func theMethodIsKeptOrBecomesGET(method: String, hasBody: Bool, statuses: [Int], result: String) throws {
        for status in statuses {
            let decision = try decide(status, method: method, hasBody: hasBody)
            #expect(outcome(decision) == "\(result) https://a/new")
        }
    }

    @Test(arguments: [("POST", false), ("POST", true), ("PUT", true), ("PATCH", true)])
    func anAmbiguousRedirectOfABodyIsRefused(method: String, hasBody: Bool) throws {
        for status in [301, 302] { #expect(outcome(try decide(status, method: method, hasBody: hasBody)) == "refused") }
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
    func aRequestThatMustBeRepeatedFollowsOnlyRepeatingRedirects(method: String) throws {
        for status in [301, 302, 303] {
            #expect(outcome(try decide(status, method: method, repeating: true)) == "refused")
        }
        for status in [307, 308] {
            #expect(outcome(try decide(status, method: method, repeating: true)) == "\(method) https://a/new")
        }
    }

    @Test(arguments: [
        ("https://a/x", "/new", "GET https://a/new"), ("https://a/x", "https://A:443/new", "GET https://a/new"),
        ("https://a/x", "https://a:444/", "GET https://a:444/ bare"), ("https://a/x", "//b/", "GET https://b/ bare"),
        ("http://a/x", "https://a/", "GET https://a/ bare"),
        ("http://a/x", "http://a:8080/", "GET http://a:8080/ bare"),
        ("http://a/d/x?q", "y", "GET http://a/d/y"), ("https://a/x", "http://a/", "refused"),
        ("https://a/x", "//", "refused"), ("https://a/x", "ftp://a/", "refused"), ("https://a/x", "/a\r\nb", "refused"),
        ("http://a/x", "http://b/", "GET http://b/ bare"),
    ])
    func secretsStayWithTheirOrigin(from: String, location: String, result: String) throws {
        #expect(outcome(try decide(302, to: location, from: from)) == result)
    }

    @Test(arguments: [200, 201, 206, 300, 304, 305, 306, 404])
    func otherStatusesAreNoRedirects(status: Int) throws {
        #expect(try decide(status) == .notARedirect)
    }

    @Test func aRedirectToNowhereIsRefused() throws {
        #expect(outcome(try decide(302, to: nil)) == "refused")
    }

    @Test func theLimitEndsACircle() throws {
        #expect(outcome(try decide(302, hops: 4)) == "GET https://a/new")
        #expect(outcome(try decide(302, hops: 5)) == "refused")
    }

    @Test(arguments: [true, false]) func refusalNamesCookiesOnlyIfTheyAreLost(losesCookies: Bool) throws {
        let decision = RedirectRule.decide(
            status: 302, location: "/a", from: try TransferURL(parsing: "https://a/"), followsOnlyRepeating: false,
            method: "GET", hasBody: false, hops: 5, limit: 5, losesCookies: losesCookies)
        guard case .refuse(let failure) = decision else { return #expect(Bool(false), "\(decision)") }
        #expect(
            failure.message.contains("--session-cookies") == losesCookies && failure.message.contains("--max-redirs"))
    }

    @Test func refusedRedirectReportsStatusWithoutSecret() throws {
        let decision = try decide(302, to: "http://a/?token=s3cret", from: "https://u:s3cret@a/?s3cret")
        guard case .refuse(let failure) = decision else {
            Issue.record("a redirect to http was followed")
            return
        }
        #expect(failure.origin == .status(302))
        #expect(!failure.message.contains("s3cret"))
    }
}
