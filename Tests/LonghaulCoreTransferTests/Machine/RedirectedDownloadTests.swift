import TestSupport
import Testing

@testable import LonghaulCore

/// Downloads whose URL redirects to a server that serves the bytes.
@Suite struct RedirectedDownloadTests {
    private static let own = "http://example.org/film.mp4"
    private static let signed = "http://cdn.example.net/film.mp4?signature=1"

    private func head(_ status: Int = 200, tag: String = "\"one\"", url: String = Self.signed) -> ResponseHead {
        var head = ResponseHead.file(tag: tag)
        (head.status, head.effectiveURL) = (status, url)
        return head
    }

    /// A download that was redirected and broke after 400 of 1000 bytes, as it measures its partial file again.
    private func interrupted(_ change: (inout TransferSpec) -> Void = { _ in }) -> MachineFixture {
        var world = MachineFixture.download(change)
        world.feed(.turnGranted)
        world.engine(.receiving(head()))
        world.engine(.written(400, complete: false))
        world.now = world.now + .seconds(600)
        world.feed(.due)
        world.feed(.turnGranted)
        return world
    }

    private func resume(_ world: inout MachineFixture) throws -> ExchangePlan {
        try #require(world.engine(.partialMeasured(.success(400))).exchange)
    }

    @Test func theRestIsRequestedFromTheServingURL() throws {
        var world = interrupted {
            $0.headers = [HeaderField("Authorization", "Basic eDp5"), HeaderField("X-Plain", "1")]
            $0.network.clientCertificate = ClientCertificate(certificate: "/c.pem")
        }
        let plan = try resume(&world)
        #expect(plan.url == Self.signed && plan.headers.single("If-Match") == "\"one\"")
        #expect(plan.headers.single("Authorization") == nil && plan.headers.single("X-Plain") == "1")
        #expect(plan.network.clientCertificate == nil)
    }

    @Test(arguments: [400, 401, 403, 404, 410]) func expiredSignedURLFallsBackToOriginalURL(status: Int) throws {
        var world = interrupted()
        _ = try resume(&world)
        let again = try #require(world.engine(.refused(.status, head(status))).exchange)
        #expect(again.url == Self.own && again.headers.single("If-Range") == "\"one\"")
        #expect(world.facts.bytesDone == 400 && world.facts.failuresInARow == 1)
        // A crash requests the same again.
        _ = world.crash()
        #expect(try resume(&world).url == Self.own)
        // The new signature serves the rest, and the next request uses it.
        let fresh = Self.signed + "2"
        world.engine(.receiving(head(206, url: fresh)))
        world.engine(.written(400, complete: false))
        world.now = world.now + .seconds(600)
        world.feed(.due)
        world.feed(.turnGranted)
        #expect(try resume(&world).url == fresh)
    }

    @Test func onlyRefusalByOriginalURLFailsTransfer() throws {
        var world = interrupted()
        _ = try resume(&world)
        world.engine(.refused(.status, head(403)))
        world.engine(.refused(.status, head(403)))
        guard case .failed(let failure) = world.state else { throw Unexpected() }
        #expect(failure.code == .forbidden && world.facts.bytesDone == 400)
    }

    /// The first connection was redirected and broke; another one used its target after the signature had expired.
    @Test func aConnectionRefusedByTheRedirectTargetIsABreak() throws {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(head()))
        world.engine(.parts(SegmentMap([0..<100, 500..<600])))
        world.engine(.refused(.status, head(403)))
        guard case .waiting(let waiting) = world.state else { throw Unexpected() }
        #expect(waiting.reason == .retry && waiting.failure?.code == .connectionLost)
        world.now = try #require(waiting.until)
        world.feed(.due)
        world.feed(.turnGranted)
        let plan = try #require(world.engine(.partialMeasured(.success(600))).exchange)
        #expect(plan.url == Self.own && plan.headers.single("Range") == "bytes=0-")
    }

    @Test func unreachableRedirectTargetFallsBackToOriginalURL() throws {
        var world = interrupted()
        for count in 1...3 {
            #expect(try resume(&world).url == (count == 3 ? Self.own : Self.signed))
            world.engine(.broke(.connectionRefused))
            world.now = world.now + .seconds(600)
            world.feed(.due)
            world.feed(.turnGranted)
        }
    }

    @Test func anotherSourceIsNotAChangedFile() throws {
        var world = interrupted()
        _ = try resume(&world)
        world.engine(.refused(.status, head(403)))
        let anew = try #require(
            world.engine(.refused(.changed, head(412, tag: "\"two\"", url: "http://other.example.net/film.mp4")))
                .exchange)
        #expect(anew.url == Self.own && anew.headers.single("Range") == nil)
        #expect(world.facts.restartCounts.latest == .otherSource)
        #expect(world.facts.lastFailure?.message.contains("another source") == true)
    }

    @Test func aNewURLIsRequestedItself() throws {
        var world = interrupted()
        let url = "http://example.com/film.mp4"
        world.feed(.replaced(Replacement(url: url)))
        world.engine(.partialMeasured(.success(400)))
        world.feed(.turnGranted)
        #expect(try resume(&world).url == url)
    }
}
