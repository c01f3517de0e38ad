import Testing

@testable import LonghaulCore

/// The fast path for plain URLs must agree with the rules for all URLs.
@Suite struct PlainURLTests {
    @Test(arguments: [
        "http://127.0.0.1:8080/f1", "https://example.org/a/b?c=d?e", "http://a_b.c-d/x?", "http://a:443/",
        "https://a:443/",
        "http://a:00080/x", "http://a/[x]?y[]=1",
    ])
    func aPlainURLIsReadTheShortWay(_ text: String) throws {
        #expect(try PlainURL.read(text) == TransferURL(URLReference(text), .typed))
    }

    @Test(arguments: [
        "", "http://", "http:///x", "http://a", "http://a?q", "http://...:1/", "HTTP://a/", "http://A/", "http://u@a/",
        "http://[::1]/", "http://a:/x", "http://a:0/", "http://a:65536/", "http://a/x#f", "http://a/%41",
        "http://a/\u{e9}",
        "http://a/ ", " http://a/", "http://a/\n", "ftp://a/", "http://a:8x/",
    ])
    func othersAreLeftToTheRules(_ text: String) {
        #expect(PlainURL.read(text) == nil)
    }

    @Test func bothParsersAgreeOnPlainURLs() {
        let parts = [
            "http", "https", "://", ":", "/", "a", "B", "0", "99999", ".", "?", "#", "%41", "%", "@", "-", " ",
            "\u{7f}",
        ]
        var random = SystemRandomNumberGenerator()
        var compared = 0
        for _ in 0..<20_000 {
            let tail = (0..<Int.random(in: 1...9, using: &random)).map { _ in parts.randomElement(using: &random) ?? ""
            }
            let text = "http://a" + tail.joined()
            if let plain = PlainURL.read(text) {
                compared += 1
                #expect(plain == (try? TransferURL(URLReference(text), .typed)), "\(text)")
            }
        }
        #expect(compared > 0)
    }
}
