import LonghaulCore
import TestSupport
import Testing

/// Servers that send less of a file than requested, each time, and report that correctly.
@Suite(.onEachTransport) struct ShortPartTests {
    @Test(arguments: [ContentRangeForm.right, .unknownTotal], [true, false])
    func shortRangeResponsesCompleteTheFile(form: ContentRangeForm, tellsLength: Bool) async throws {
        let product = try Product()
        let content = Content(seed: 19, length: 3_000_000)
        var ranges = RangeManners()
        ranges.longestRange = 400_000
        ranges.contentRange = form
        let part = Reply.file(content, etag: "\"v1\"", ranges: ranges)
        let first = Reply.file(content, etag: "\"v1\"").cut(after: 1_000_000)
        let server = try NastyServer(routes: [
            "/f.bin": .first(1, tellsLength ? first : first.framed(.chunked), then: part)
        ])
        try await product.succeed("download", "-o", "f.bin", server.url("/f.bin"))
        #expect(try product.home.read("work/f.bin") == content.bytes())
    }
}
