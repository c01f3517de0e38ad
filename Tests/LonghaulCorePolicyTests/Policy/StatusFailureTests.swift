import LonghaulCore
import Testing

@Suite struct StatusFailureTests {
    private let secretURL = "https://me:s3cret@host.example/path?token=s3cret#s3cret"

    private func failure(_ status: Int, answeredBy url: String? = nil) -> TransferFailure {
        let headers = [HeaderField("Location", "https://x/?s3cret"), HeaderField("Set-Cookie", "s3cret")]
        let head = ResponseHead(status: status, headers: headers, effectiveURL: url ?? secretURL)
        return RetryPolicy.failure(forStatus: status, head: head, url: secretURL)
    }

    @Test(
        arguments: [
            ([200, 201, 204, 206], .protocolViolation), ([304, 412], .preconditionFailed),
            ([300, 301, 302, 303, 305, 307, 308], .redirectRefused), ([401, 407], .credentialsRequired),
            ([403], .forbidden),
            ([404, 410], .notFound), ([408, 423, 425, 429, 503], .serverBusy), ([421], .connectionFailed),
            (
                [400, 402, 405, 406, 409, 411, 413, 414, 415, 416, 417, 422, 424, 426, 428, 431, 451, 499],
                .requestRejected
            ),
            ([500, 501, 502, 504, 505, 506, 507, 508, 509, 510, 520, 521, 522, 523, 524, 599], .serverFailed),
            ([511], .captivePortal), ([-1, 0, 100, 104, 199, 600, 999, .max, .min], .protocolViolation),
        ] as [([Int], FailureCode)])
    func everyStatusHasItsCode(statuses: [Int], code: FailureCode) {
        for status in statuses {
            let failure = failure(status)
            #expect(failure.code == code, "\(status)")
            #expect(failure.origin == .status(status))
        }
    }

    @Test(
        arguments: [
            (
                [408, 421, 423, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 599],
                .later(countsAttempt: true)
            ),
            (
                [
                    501, 505, 506, 507, 508, 509, 510, 400, 402, 403, 404, 405, 409, 410, 411, 412, 413, 414, 415, 416,
                    422, 428, 431, 451, 300, 304, 204,
                ], .never
            ),
            ([401, 407], .needsCredentials), ([511], .whenNetworkReturns),
        ] as [([Int], RetryAdvice)])
    func everyStatusHasItsAdvice(statuses: [Int], advice: RetryAdvice) {
        for status in statuses { #expect(RetryPolicy.decide(failure(status), headers: []) == advice, "\(status)") }
    }

    @Test func everySentenceHasARemedyAndNoSecret() {
        for status in -1...700 {
            let message = failure(status).message
            #expect(message.contains(":") && message.hasSuffix(".") && message.contains("\(status)"))
            #expect(!message.contains("s3cret") && !message.contains("me:"))
        }
    }

    @Test func missingFileMessageSuggestsCheckingURL() {
        #expect(failure(404).message == "The server host.example has no such file (404): check the URL.")
    }

    @Test func missingResourceOfRequestMentionsNoFile() {
        let head = ResponseHead(status: 404, headers: [], effectiveURL: secretURL)
        let posted = RetryPolicy.failure(forStatus: 404, head: head, url: secretURL, isDownload: false)
        #expect(
            posted.message == "The server host.example has nothing at this URL (404): check the URL."
                && posted.code == .notFound)
    }

    @Test func serverMessageAndAdviceAreSeparate() {
        let head = ResponseHead(status: 403, headers: [], effectiveURL: "https://x.example/")
        // A server's message may look like a status.
        let failure = RetryPolicy.failure(forStatus: 403, head: head, url: "", words: "no (403)")
        #expect(failure.summary == "The server x.example denied access (403)" && failure.serverMessage == "no (403)")
        #expect(failure.message.hasPrefix("The server x.example denied access (403: no (403)): check your permissions"))
        var plain = TransferFailure(.forbidden, "It is forbidden", serverMessage: "no")
        #expect(plain.message == "It is forbidden (no)")
        plain.advice = "ask"
        #expect(plain.message == "It is forbidden (no): ask.")
    }

    private func denial(_ status: Int, _ offers: String, _ login: PresentedLogin) -> TransferFailure {
        let name = status == 401 ? "WWW-Authenticate" : "Proxy-Authenticate"
        let head = ResponseHead(
            status: status, headers: [HeaderField(name, offers)], effectiveURL: "https://x.example/")
        return RetryPolicy.failure(forStatus: status, head: head, url: "", login: login)
    }

    @Test(
        arguments: [
            ("Basic realm=x", true, ["basic"], "rejected the credentials (401)"),
            ("Digest realm=x, nonce=y, algorithm=MD5", true, ["basic"], "offers Digest and not Basic (401)"),
            ("NTLM", true, ["basic"], "accepts only NTLM, which Longhaul does not support (401)"),
            ("Digest realm=x, nonce=y, algorithm=SHA-512-256", true, ["basic"], "accepts only Digest, which"),
            ("Negotiate", true, ["basic"], "offers Negotiate and not Basic (401)"),
            ("Negotiate", false, [], "requires a Kerberos ticket (401)"),
            ("Negotiate", false, ["negotiate"], "did not accept a Kerberos ticket (401)"),
            ("Basic realm=x", false, ["negotiate"], "offers Basic and not Negotiate (401)"),
            ("Bearer", true, ["bearer"], "rejected the credentials (401)"),
            ("NTLM", true, [], "rejected the credentials (401)"),
            ("Basic realm=x", false, [], "requires a user name and a password, or a token (401)"),
        ] as [(String, Bool, Set<String>, String)])
    func credentialsAreWrongOnlyIfTheirSchemeIsOffered(
        offers: String, hasCredentials: Bool, schemes: Set<String>, text: String
    ) {
        let failure = denial(401, offers, PresentedLogin(hasCredentials: hasCredentials, schemes: schemes))
        #expect(failure.code == .credentialsRequired && failure.summary.contains(text), "\(failure.summary)")
    }

    @Test(arguments: [
        ("Basic realm=x", "ada:s3cret@", "rejected the user name or the password (407)"),
        ("Digest realm=x, nonce=y, Basic realm=x", "ada:s3cret@", "rejected the user name or the password (407)"),
        ("NTLM", "ada:s3cret@", "accepts only NTLM, which Longhaul does not support (407)"),
        ("Negotiate, NTLM", "", "requires a valid Kerberos ticket (407)"),
        ("Digest realm=x, nonce=y", "", "requires a user name and a password (407)"),
    ])
    func proxyDenialNamesProxyAndScheme(offers: String, login: String, text: String) throws {
        let proxy = try ProxyAddress(parsing: "http://\(login)p.example:3128")
        let failure = denial(407, offers, PresentedLogin(proxy: proxy))
        #expect(failure.code == .credentialsRequired && failure.summary == "The proxy p.example:3128 " + text)
    }

    @Test func theServerThatAnsweredIsNamed() {
        #expect(failure(503).message == "The server host.example is busy (503): try again later.")
        #expect(failure(503, answeredBy: "https://mirror.example/x").message.contains("mirror.example"))
        let head = ResponseHead(status: 503, headers: [], effectiveURL: "")
        let failure = RetryPolicy.failure(forStatus: 503, head: head, url: "")
        #expect(failure.message == "The server (unknown URL) is busy (503): try again later.")
    }
}
