import LonghaulCore
import Testing

@testable import LonghaulCore

/// The parts of a server's own message that are shown.
@Suite struct ServerErrorTextTests {
    private func words(
        _ body: String, type: String? = "text/plain", status: Int = 403, hiding secrets: [String] = []
    ) -> String? {
        let head = ResponseHead(
            status: status, headers: type.map { [HeaderField("Content-Type", $0)] } ?? [],
            effectiveURL: "https://x.example/f")
        let outcome = ExchangeOutcome(ending: .responded, head: head, body: Array(body.utf8))
        return ServerErrorText.text(of: outcome, hiding: secrets)
    }

    @Test(arguments: [
        ("read-only folder\n", "text/plain; charset=utf-8", "read-only folder"),
        (#"{"error": "read-only"}"#, "application/json", #"{"error": "read-only"}"#),
        ("{\n  \"title\": \"No room\"\n}", "application/problem+json", #"{ "title": "No room" }"#),
        ("<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>", "application/xml", "AccessDenied"),
        ("cl\u{1B}[2Jear \u{202E}it", "text/plain", "cl [2Jear it"),
    ])
    func readableResponseTextIsExtracted(body: String, type: String, text: String) {
        #expect(words(body, type: type) == text)
    }

    @Test(
        arguments: [
            ("<html><title>403</title>", "text/html"), ("words", nil), ("", "text/plain"), (" \n ", "text/plain"),
            ("\u{FFFD}PNG", "text/plain"),
        ] as [(String, String?)])
    func theRestIsLeft(body: String, type: String?) {
        #expect(words(body, type: type) == nil)
    }

    @Test func successResponseYieldsNoErrorText() { #expect(words("made", status: 201) == nil) }

    @Test func longWordsAreCut() {
        #expect(words("no such key AKIA0123456789abcdefghijklmnop here") == "no such key … here")
        #expect(words(String(repeating: "word ", count: 100))?.count == 161)
    }

    /// A server may echo the request.
    @Test(arguments: [
        "Bearer opensesame", "you sent opensesame", "ada:pass word", "pass word is wrong", "user:knock2", "knock2",
        "sig=abcd1234 is late",
    ])
    func secretsAreNeverRepeated(echo: String) throws {
        var spec = TransferSpec(
            work: .request(body: []), method: "GET", url: "https://user:knock2@x.example/f?v=1&sig=abcd1234")
        spec.headers = [
            HeaderField("X-Token", "Bearer opensesame"),
            HeaderField("Authorization", "Basic " + Base64.encode("ada:pass word".utf8)),
        ]
        let head = ResponseHead(
            status: 403, headers: [HeaderField("Content-Type", "text/plain")], effectiveURL: spec.url)
        let outcome = ExchangeOutcome(ending: .responded, head: head, body: Array(echo.utf8))
        #expect(RetryPolicy.failure(of: spec, head, outcome).message.contains("(403)"))
        let other = ExchangeOutcome(ending: .responded, head: head, body: Array("no".utf8))
        #expect(RetryPolicy.failure(of: spec, head, other).message.contains("(403: no)"))
    }
}
