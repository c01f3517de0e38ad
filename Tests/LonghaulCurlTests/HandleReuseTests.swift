import LonghaulCore
import TestSupport
import Testing

@Suite(.tags(.libcurl, .directPath), .onEachTransport) struct HandleReuseTests {
    private let content = Content(seed: 9, length: 400_000)

    @Test func aDownloadAfterAnUnknownHostGoesWell() throws {
        let world = try World(["/f": Route(.file(content, etag: "\"v1\""))])
        var lost = world.download("/f")
        lost.url = world.server.url("/f", host: "no-such-host.invalid")
        #expect(try world.exchange(lost).failure?.code != nil)
        #expect(try world.exchange(world.download("/f")).ending == .responded)
        #expect(try world.contentOfPartial() == content.bytes())
    }
}
