import LonghaulCore
import TestSupport
import Testing

@Suite(.tags(.libcurl), .onEachPath) struct RedirectTests {
    @Test(arguments: [301, 302, 303, 307, 308])
    func downloadFollowsRedirectAndReportsEffectiveURL(status: Int) throws {
        let content = Content(seed: 71, length: 5_000)
        let world = try World([
            "/a": Route(.redirect(status, to: "b/c?x=1")), "/b/c": Route(.file(content)),
        ])
        let outcome = try world.exchange(world.download("/a"))
        #expect(outcome.ending == .responded && outcome.head?.effectiveURL == world.server.url("/b/c?x=1"))
        #expect(try world.contentOfPartial() == content.bytes())
        #expect(world.server.connections == 1)
    }

    @Test func secretsStayWithTheirOrigin() throws {
        let world = try World(["/b": Route(.status(200))])
        world.server.setRoute("/a", .redirect(302, to: world.server.url("/b", host: "localhost")))
        let headers = [
            HeaderField("Authorization", "Bearer x"), HeaderField("X-Key", "y", isSecret: true),
            HeaderField("X-Plain", "z"),
        ]
        let outcome = try world.exchange(world.request("GET", "/a", headers: headers))
        #expect(outcome.head?.status == 200)
        let request = world.server.requests(to: "/b")[0]
        #expect(request.header("Authorization") == nil && request.header("X-Key") == nil)
        #expect(request.header("X-Plain") == "z")
    }

    @Test func secretsGoWhereTheOriginIsTheSame() throws {
        let world = try World(["/a": Route(.redirect(302, to: "/b")), "/b": Route(.status(200))])
        _ = try world.exchange(world.request("GET", "/a", headers: [HeaderField("Authorization", "Bearer x")]))
        #expect(world.server.requests(to: "/b")[0].header("Authorization") == "Bearer x")
    }

    @Test func aCircleEndsAtTheLimit() throws {
        let world = try World(["/a": Route(.redirect(302, to: "/a"))])
        var plan = world.request("GET", "/a")
        plan.network.redirectLimit = 3
        let outcome = try world.exchange(plan)
        #expect(outcome.failure?.code == .redirectRefused)
        #expect(world.server.requests.count == 4)
    }

    @Test func cookieWallOpensForASessionsCookies() throws {
        let world = try World(["/a": Route(.redirect(302, to: "/a").header("Set-Cookie", "seen=1; Path=/"))])
        var plan = world.request("GET", "/a")
        plan.network.redirectLimit = 2
        let failure = try #require(try world.exchange(plan).failure)
        #expect(failure.code == .redirectRefused && failure.message.contains("--session-cookies"), "\(failure)")
        plan.network.keepsCookiesWithSession = true
        let other = try #require(try world.exchange(plan).failure)
        #expect(!other.message.contains("--session-cookies"), "\(other)")
        #expect(world.server.requests.map { $0.header("Cookie") } == [nil, nil, nil, nil, "seen=1", "seen=1"])
    }

    @Test func anUploadFollowsOnlyWhatRepeatsIt() throws {
        let world = try World(["/a": Route(.redirect(303, to: "/b")), "/b": Route(.status(200))])
        let outcome = try world.exchange(world.request("POST", "/a", body: body([1, 2])))
        #expect(outcome.failure?.code == .redirectRefused && outcome.head?.status == 303)
        #expect(world.server.requests(to: "/b").isEmpty)
    }

    @Test func aRepeatedUploadSendsItsBodyAgain() throws {
        let content = Content(seed: 72, length: 2_000_000)
        let world = try World(["/a": Route(.redirect(308, to: "/b")), "/b": Route(.status(201))])
        let outcome = try world.exchange(world.request("PUT", "/a", body: try world.fileBody(content)))
        #expect(outcome.head?.status == 201)
        #expect(world.server.requests(to: "/b")[0].bodyChecksum == content.checksum)
        #expect(world.server.requests(to: "/b")[0].method == "PUT")
    }

    @Test func aPostThatIsAnsweredElsewhereBecomesAGet() throws {
        let world = try World(["/a": Route(.redirect(303, to: "/b")), "/b": Route(.status(200))])
        var plan = world.request("POST", "/a", body: body([1, 2]), headers: [HeaderField("Content-Type", "x/y")])
        plan.followsOnlyRepeatingRedirects = false
        #expect(try world.exchange(plan).head?.status == 200)
        let request = world.server.requests(to: "/b")[0]
        #expect(request.method == "GET" && request.header("Content-Type") == nil)
        #expect(request.header("Content-Length") == nil)
    }

    @Test func aLongBodyOfARedirectIsNotReadToItsEnd() throws {
        let long = Reply.redirect(302, to: "/b").with { $0.body = [UInt8](repeating: 1, count: 30_000_000) }
        let world = try World(["/a": Route(long), "/b": Route(.status(200, body: "here"))])
        let outcome = try world.exchange(world.request("GET", "/a"))
        #expect(outcome.body == Array("here".utf8))
        // Where many share a connection, only the stream ends.
        #expect(world.server.connections == (Transport.current == .http2 ? 1 : 2))
    }
}
