import Glibc
import LonghaulCore
import LonghaulSystem
import TestSupport
import Testing

@Suite(.tags(.libcurl), .onEachTransport) struct CookieJarTests {
    private let world: World
    private let jar: String

    init() throws {
        let reply = Reply.status(200).header("Set-Cookie", "a=\u{e9}1; Path=/").header(
            "Set-Cookie", "b=2; HttpOnly; Max-Age=3600")
        world = try World(["/set": Route(reply), "/get": Route(.status(200))])
        jar = world.directory.path("jar")
    }

    private func plan(_ path: String, _ jar: String, method: String = "GET") -> ExchangePlan {
        var plan = world.request(method, path, headers: [])
        plan.network.cookieJar = jar
        return plan
    }

    @Test func receivedCookiesAreSavedBesideTheOthers() throws {
        let old = "example.org\tFALSE\t/\tFALSE\t0\tc\t3"
        try world.directory.write("# comment\n\(old)\n".utf8, to: "jar")
        try Files.setPermissions(0o644, of: jar)
        #expect(try world.exchange(plan("/set", jar)).ending == .responded)
        let lines = try String(decoding: world.directory.read("jar"), as: UTF8.self).split(separator: "\n")
        #expect(
            lines.first == "# Netscape HTTP Cookie File" && lines.contains { $0 == old } && lines.count == 4, "\(lines)"
        )
        #expect(lines.contains { $0.hasPrefix("#HttpOnly_") && $0.hasSuffix("\tb\t2") })
        #expect(try FileStatus(of: jar).permissions == 0o600)
        var other = plan("/get", jar)
        other.network.cookieJar = nil
        other.network.cookieFile = jar
        #expect(try world.exchange(other).ending == .responded)
        let sent = try #require(world.server.requests(to: "/get").first?.header("Cookie"))
        #expect(Set(sent.split(separator: ";").map { $0.filter { $0 != " " } }) == ["a=\u{e9}1", "b=2"], "\(sent)")
    }

    @Test func cookiesBehindDanglingLinkArePrivate() throws {
        #expect(symlink("missing", jar) == 0)
        #expect(try world.exchange(plan("/set", jar)).ending == .responded)
        #expect(try FileStatus(of: jar, followsLinks: false).kind == .link)
        #expect(try FileStatus(of: world.directory.path("missing")).permissions == 0o600)
        #expect(try String(decoding: world.directory.read("missing"), as: UTF8.self).contains("\tb\t2"))
    }

    @Test(arguments: ["directory", "pipe", "none/jar"]) func unwritableJarFailsBeforeTheRequest(name: String) throws {
        try world.directory.makeDirectory("directory")
        #expect(mkfifo(world.directory.path("pipe"), 0o600) == 0)
        let failure = try #require(try world.exchange(plan("/set", world.directory.path(name))).failure)
        let place = name == "none/jar" ? "none" : name
        #expect([.fileFailed, .destinationUnwritable].contains(failure.code))
        #expect(failure.message.contains(world.directory.path(place)), "\(failure)")
        #expect(world.server.requests.isEmpty)
    }

    @Test func pipeOfCookiesIsRefused() throws {
        #expect(mkfifo(jar, 0o600) == 0)
        var plan = plan("/get", jar)
        plan.network.cookieJar = nil
        plan.network.cookieFile = jar
        #expect(try world.exchange(plan).failure?.code == .fileFailed)
    }

    @Test func nullDeviceTakesCookies() throws {
        #expect(try world.exchange(plan("/set", "/dev/null")).ending == .responded)
        #expect(Files.kind("/dev/null") == .device)
    }

    @Test(.enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"))
    func fullDiskFailsTheRequestWithItsResponse() throws {
        let volume = try SmallVolume(.tmpfs, in: world.directory, "volume", bytes: 64 << 10)
        let path = volume.path + "/jar"
        try world.directory.write("# old\n".utf8, to: "volume/jar")
        try volume.fillUp()
        let outcome = try world.exchange(plan("/set", path, method: "POST"))
        #expect(outcome.failure?.code == .fileFailed && outcome.failure?.message.contains(path) == true, "\(outcome)")
        #expect(outcome.head?.status == 200)
        #expect(try world.directory.read("volume/jar") == Array("# old\n".utf8))
    }
}
