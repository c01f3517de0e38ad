import Testing

@testable import LonghaulCore

/// The URL of an accepted request's result.
@Suite struct ResponseURLTests {
    private func sent(_ fixture: MachineFixture, _ head: ResponseHead) -> MachineFixture {
        var world = fixture
        world.feed(.turnGranted)
        world.engine(.ended(head, body: Array("created".utf8)))
        return world
    }

    private static func head(
        _ status: Int, location: String? = nil, at url: String = "http://example.org/in"
    ) -> ResponseHead {
        let fields = location.map { [HeaderField("Location", $0)] } ?? []
        return ResponseHead(status: status, headers: fields, effectiveURL: url)
    }

    @Test(arguments: [
        ("/files/1ca353", "http://example.org/files/1ca353"), ("1ca353", "http://example.org/1ca353"),
        ("https://cdn.example.org/1ca353", "https://cdn.example.org/1ca353"),
    ]) func locationIsResolved(_ location: String, _ expected: String) {
        let world = sent(.upload("POST"), Self.head(201, location: location))
        #expect(world.state == .succeeded && world.facts.response?.location == expected)
        #expect(TransferSnapshot(world.machine.record).resultURL == expected)
    }

    @Test func redirectedUploadHasFinalURL() {
        let world = sent(.upload("PUT"), Self.head(204, at: "http://store.example.org/in"))
        #expect(world.facts.response?.url == "http://store.example.org/in" && world.facts.response?.location == nil)
        #expect(TransferSnapshot(world.machine.record).resultURL == "http://store.example.org/in")
    }

    @Test func unmovedResultHasNoOtherURL() {
        let world = sent(.upload("PUT"), Self.head(200))
        #expect(TransferSnapshot(world.machine.record).resultURL == nil)
    }

    @Test func resultURLHidesLoginAndQuery() {
        let spec: (inout TransferSpec) -> Void = { $0.url = "http://anna:pw@example.org/in" }
        let world = sent(
            .upload("POST", spec), Self.head(201, location: "/f?sig=s3cret", at: "http://anna:pw@example.org/in"))
        let response = world.facts.response
        #expect(response?.url == "http://example.org/in" && response?.location == "http://example.org/f?sig=s3cret")
        #expect(TransferSnapshot(world.machine.record).resultURL == "http://example.org/f?(secret)")
    }

    @Test func refusedRedirectIsNoResult() {
        var world = MachineFixture.upload("POST")
        world.feed(.turnGranted)
        world.engine(.broke(.redirectRefused, head: Self.head(302, location: "/elsewhere")))
        #expect(world.facts.response?.location == "http://example.org/elsewhere")
        #expect(TransferSnapshot(world.machine.record).resultURL == nil)
    }

    @Test func redirectedDownloadHasFinalURL() {
        var world = MachineFixture.download()
        world.machine.record.facts.download.effectiveURL = "https://mirror.example.org/film.mp4?token=s3cret"
        #expect(
            TransferSnapshot(world.machine.record).resultURL == "https://mirror.example.org/film.mp4?(secret)")
    }

    /// Discovered and created.
    private func tus() -> MachineFixture {
        var world = MachineFixture.tus()
        world.feed(.turnGranted)
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        world.engine(.ended(.tus(204, [HeaderField("Tus-Extension", "creation")])))
        world.engine(.ended(.tus(201, [HeaderField("Location", "/files/abc")])))
        return world
    }

    @Test func runningTusUploadHasItsURL() {
        #expect(TransferSnapshot(tus().machine.record).resultURL == "http://example.org/files/abc")
    }

    @Test func tusSuccessIsStoredWithItsResponse() {
        var world = tus()
        world.engine(.lastBytesHeld)
        world.engine(.ended(.tus(204, offset: 1_000), body: Array("stored".utf8)))
        let response = world.facts.response
        #expect(world.state == .succeeded && response?.status == 204 && response?.body == Array("stored".utf8))
        #expect(response?.location == "http://example.org/files/abc")
        #expect(TransferSnapshot(world.machine.record).status == 204)
    }

    @Test func tusSuccessAfterCrashHasItsResponse() {
        var world = tus()
        world.engine(.lastBytesHeld)
        _ = world.crash()
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        world.engine(.ended(.tus(200, offset: 1_000)))
        #expect(world.state == .succeeded && world.facts.response?.status == 200)
        #expect(world.facts.response?.location == "http://example.org/files/abc")
    }

    @Test func tusSuccessWhileStoppingHasItsResponse() {
        var world = tus()
        world.engine(.lastBytesHeld)
        world.feed(.command(.pause))
        world.engine(.ended(.tus(204, offset: 1_000)))
        #expect(world.state == .succeeded && world.facts.response?.location == "http://example.org/files/abc")
    }

    /// A record of an earlier version has neither URL in its response.
    @Test func responseOfEarlierVersionIsRead() throws {
        var writer = WireWriter()
        writer.signed(201, at: 1)
        writer.data(Array("created".utf8), at: 3)
        let response = try Response.decoded(wireBytes: writer.bytes)
        #expect(response.status == 201 && response.url.isEmpty && response.location == nil)
    }
}
