import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulCurl

/// The known HTTP/3 support of origins, and its file.
@Suite struct HTTP3OriginsTests {
    private let origin = "https://example.org:443"

    private func triesHTTP3(
        _ origins: HTTP3Origins, as use: HTTP3Use = .announced, now: Int64 = 0, clock: Int64 = 0
    ) -> Bool {
        origins.isToBeTried(at: origin, as: use, now: now, clock: clock)
    }

    private func notes(_ origins: inout HTTP3Origins, _ announcement: HTTP3Announcement, at clock: Int64) -> Bool {
        origins.update(announcement, of: origin, clock: clock)
    }

    @Test func anAnnouncementCountsUntilItsEnd() {
        var origins = HTTP3Origins(text: "", clock: 0)
        #expect(!triesHTTP3(origins) && triesHTTP3(origins, as: .tried))
        #expect(notes(&origins, .announced(seconds: 100), at: 50))
        #expect(triesHTTP3(origins, clock: 149) && !triesHTTP3(origins, clock: 150))
        #expect(!triesHTTP3(origins, as: .never, clock: 60))
        #expect(!origins.isToBeTried(at: "https://example.org:8443", as: .announced, now: 0, clock: 60))
    }

    @Test func withdrawnOriginIsForgotten() {
        var origins = HTTP3Origins(text: "", clock: 0)
        _ = origins.update(.announced(seconds: 100), of: origin, clock: 0)
        #expect(notes(&origins, .withdrawn, at: 1))
        #expect(!triesHTTP3(origins, clock: 1))
        #expect(!notes(&origins, .withdrawn, at: 2))
    }

    @Test func anEndThatMovesALittleIsNoNews() {
        var origins = HTTP3Origins(text: "", clock: 0)
        #expect(notes(&origins, .announced(seconds: 100), at: 0))
        #expect(!notes(&origins, .announced(seconds: 100), at: 25))
        #expect(notes(&origins, .announced(seconds: 100), at: 26))
        #expect(notes(&origins, .announced(seconds: 30), at: 26))
    }

    @Test func failedOriginRestsForAWhile() {
        var origins = HTTP3Origins(text: "", clock: 0)
        _ = origins.update(.announced(seconds: 10_000), of: origin, clock: 0)
        origins.registerFailure(at: origin, now: 7)
        #expect(!triesHTTP3(origins, now: 6 + HTTP3Origins.rest) && triesHTTP3(origins, now: 7 + HTTP3Origins.rest))
        #expect(!triesHTTP3(origins, as: .tried, now: 8))
        #expect(origins.isToBeTried(at: "https://other.example:443", as: .tried, now: 8, clock: 0))
    }

    @Test func theOneThatEndsFirstMakesRoom() {
        var origins = HTTP3Origins(text: "", clock: 0)
        for number in 0...Int64(HTTP3Origins.capacity) {
            _ = origins.update(.announced(seconds: 5_000 - number), of: "https://h\(number):443", clock: 0)
        }
        let last = "https://h\(HTTP3Origins.capacity):443"
        #expect(!origins.isToBeTried(at: last, as: .announced, now: 0, clock: 0))
        #expect(origins.isToBeTried(at: "https://h0:443", as: .announced, now: 0, clock: 0))
    }

    @Test func theFileBringsBackWhatWasKept() {
        var origins = HTTP3Origins(text: "", clock: 0)
        _ = origins.update(.announced(seconds: 100), of: origin, clock: 0)
        _ = origins.update(.announced(seconds: 200), of: "https://[::1]:8443", clock: 0)
        #expect(origins.text == "longhaul alternatives 1\nh3 https://[::1]:8443 200\nh3 \(origin) 100\n")
        #expect(HTTP3Origins(text: origins.text, clock: 99) == origins)
        #expect(!triesHTTP3(HTTP3Origins(text: origins.text, clock: 100)))
    }

    @Test func aFileThatIsCutAnywhereCostsNothing() {
        let text = "longhaul alternatives 1\nh3 https://a.example:443 2000\nh3 \(origin) 2000\n"
        for count in 0..<text.utf8.count {
            let read = HTTP3Origins(text: String(text.prefix(count)), clock: 0)
            #expect(!triesHTTP3(read) && read.text.split(separator: "\n").count <= 2)
        }
        #expect(triesHTTP3(HTTP3Origins(text: text, clock: 0)))
    }

    @Test(arguments: [
        "h3 https://example.org:443 999999999999999999999", "h3 https://example.org:443 -1",
        "h3 http://example.org:80 9",
        "h3 https://example.org 9", "h3 https://example.org:443/x 9", "h2 https://example.org:443 9", "h3  9",
        "h3 https://example.org:443", "h3 https://example.org:443 9 9",
        "h3 https://example.org:443 9223372036854775807",
        "\u{FFFD}\u{0}", "h3 https://u:p@example.org:443 9",
    ])
    func aLineThatIsNoneIsReadOver(_ line: String) {
        let text = "longhaul alternatives 1\n\(line)\nh3 https://a.example:443 9\n"
        #expect(HTTP3Origins(text: text, clock: 0).text == "longhaul alternatives 1\nh3 https://a.example:443 9\n")
        #expect(HTTP3Origins(text: "another file\nh3 \(origin) 9\n", clock: 0) == HTTP3Origins(text: "", clock: 0))
    }

    @Test func theFileIsReplacedInOneGoAndReadWhateverItIs() throws {
        let directory = try TemporaryDirectory()
        let file = AlternativesFile(path: directory.path("alternatives"))
        #expect(file.read() == nil)
        file.write("one\n")
        file.write("two\n")
        #expect(file.read() == "two\n" && directory.names() == ["alternatives"])
        try directory.makeDirectory("other")
        #expect(AlternativesFile(path: directory.path("other")).read().map { $0.isEmpty } ?? true)
        AlternativesFile(path: directory.path("other")).write("three\n")
        #expect(directory.names() == ["alternatives", "other"], "a failed write leaves no file")
        try directory.write([0xFF, 0x00, 0x0A], to: "alternatives")
        #expect(file.read() != nil)
    }
}
