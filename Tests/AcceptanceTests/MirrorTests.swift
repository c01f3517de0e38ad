import LonghaulCore
import TestSupport
import Testing

/// Downloads from several sources, as users start them.
@Suite(.onEachTransport) struct MirrorTests {
    private static let content = Content(seed: 411, length: (6 << 20) + 5)
    private static let other = Content(seed: 412, length: (6 << 20) + 5)

    @Test func aPlaceThatIsNotThereIsNoFailedTransfer() async throws {
        let product = try Product()
        let server = try NastyServer(routes: ["/f.bin": Route(.file(Self.content, etag: "\"v1\""))])
        let nowhere = "http://127.0.0.1:\(try NastyServer.closedPort())/f.bin"
        try await product.succeed("download", "-o", "f.bin", "--mirror", server.url("/f.bin"), nowhere)
        #expect(try product.home.read("work/f.bin") == Self.content.bytes())
        // In aria2's format.
        try product.home.write("\(nowhere)\t\(server.url("/f.bin"))\n out=g.bin\n".utf8, to: "work/list")
        try await product.succeed("download", "-i", "list")
        #expect(try product.home.read("work/g.bin") == Self.content.bytes())
    }

    /// An interrupted download continues from the mirror, which has the same strong tag; the doctor reports the bytes per source.
    @Test func mirrorContinuesInterruptedDownload() async throws {
        let product = try Product()
        let first = try NastyServer(routes: [
            "/f.bin": Route.first(
                1, .file(Self.content, etag: "\"v1\"").cut(after: 3 << 20), then: .status(404))
        ])
        let mirror = try NastyServer(routes: ["/g.bin": Route(.file(Self.content, etag: "\"v1\""))])
        try await product.succeed(
            "download", "--split", "1", "-o", "f.bin", "--mirror", mirror.url("/g.bin"), first.url("/f.bin"))
        #expect(try product.home.read("work/f.bin") == Self.content.bytes())
        #expect(first.requests.count == 1)
        #expect(mirror.requests.count == 1 && (mirror.requests.first?.range?.first ?? 0) > 1 << 20)
        let id = try #require(try await product.list().first?["id"])
        let told = try await product.succeed("doctor", id)
        #expect(
            told.contains("\(first.url("/f.bin")): ") && told.contains("\(mirror.url("/g.bin")): ")
                && !told.contains(": 0 B received"), "\(told)")
        let history = try await product.succeed("history", id)
        #expect(history.contains("mirror") && history.contains("continues from \(mirror.url("/g.bin"))"), "\(history)")
    }

    /// The file is one complete version: the mirror has another version when it is queried, and the first server is available again.
    @Test func anotherVersionOnTheMirrorIsNotJoined() async throws {
        let product = try Product()
        let first = try NastyServer(routes: [
            "/f.bin": Route.first(
                1, .file(Self.content, etag: "\"v1\"").cut(after: 3 << 20),
                then: .file(Self.content, etag: "\"v1\""))
        ])
        let mirror = try NastyServer(routes: ["/g.bin": Route(.file(Self.other, etag: "\"v2\""))])
        try await product.succeed(
            "download", "--split", "1", "-o", "f.bin", "--mirror", mirror.url("/g.bin"), first.url("/f.bin"))
        #expect(try product.home.read("work/f.bin") == Self.content.bytes())
        #expect(first.requests.count == 2 && first.requests[1].range != nil)
    }

    /// A redirect names a mirror and the digest; the server that it leads to names neither.
    @Test func aRedirectNamesMirrors() async throws {
        let product = try Product()
        let mirror = try NastyServer(routes: ["/g.bin": Route(.file(Self.content))])
        let digest = HeaderField("Digest", "SHA-256=" + Self.content.sha256Base64)
        let link = HeaderField("Link", "<\(mirror.url("/g.bin"))>; rel=duplicate; pri=1")
        let server = try NastyServer(routes: [
            "/f.bin": Route(.redirect(to: "/cdn").with { $0.headers += [digest, link] }),
            "/cdn": .first(1, .file(Self.content).cut(after: 3 << 20), then: .status(404)),
        ])
        try await product.succeed("download", "--split", "1", "-o", "f.bin", server.url("/f.bin"))
        #expect(try product.home.read("work/f.bin") == Self.content.bytes())
        #expect((mirror.requests.first?.range?.first ?? 0) > 1 << 20)
    }

    @Test func aWrongDigestIsReportedBeforeAMissingMirror() async throws {
        let product = try Product()
        let server = try NastyServer(routes: ["/f.bin": Route(.file(Self.content, etag: "\"v1\""))])
        let wrong = String(repeating: "a", count: 64)
        let result = try await product.call(
            "longhaul",
            ["download", "--sha256", wrong, "--mirror", server.url("/missing"), "-o", "f.bin", server.url("/f.bin")]
        ).run()
        #expect(
            result.exitStatus == 9 && result.errorOutput.contains(server.url("/f.bin") + ": "), "\(result.errorOutput)")
        let id = try #require(try await product.list("--all").first?["id"])
        #expect(try await product.succeed("doctor", id).contains("last failure: "))
    }

    /// The most specific failure is reported with its source, even if another source failed last.
    @Test(
        arguments: [
            ([403, 404], 0, "forbidden", 6), ([404, 403], 1, "forbidden", 6), ([410, 500], 1, "serverFailed", 7),
            ([404, 401], 1, "credentialsRequired", 8), ([404, 410], 0, "notFound", 6),
        ] as [([Int], Int, String, Int32)])
    func mostTellingRefusalIsReported(statuses: [Int], teller: Int, code: String, exitStatus: Int32) async throws {
        let product = try Product()
        let servers = try statuses.map { status in try NastyServer(routes: ["/f.bin": Route(.status(status))]) }
        let result = try await product.call(
            "longhaul",
            [
                "download", "-v", "--retry", "1", "-o", "f.bin", "--mirror", servers[1].url("/f.bin"),
                servers[0].url("/f.bin"),
            ]
        ).run()
        #expect(result.exitStatus == exitStatus && result.errorOutput.contains("[\(code)]"), "\(result.errorOutput)")
        try await expectReport(product, of: servers[teller].url("/f.bin"), in: result.errorOutput)
    }

    /// A wrong size is more specific than a missing source.
    @Test func wrongLengthIsReportedBeforeALostSource() async throws {
        let product = try Product()
        let server = try NastyServer(routes: ["/f.bin": Route(.file(Self.content, etag: "\"v1\""))])
        let urls = [server.url("/f.bin"), "http://127.0.0.1:\(try NastyServer.refusingPort())/f.bin"]
        let metalink = """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="f.bin"><size>99</size>
            <url>\(urls[0])</url><url>\(urls[1])</url></file></metalink>
            """
        try product.home.write(metalink.utf8, to: "work/f.meta4")
        let result = try await product.call("longhaul", ["download", "--retry", "1", "f.meta4"]).run()
        #expect(
            result.exitStatus == 9 && result.errorOutput.contains("The length of the file"), "\(result.errorOutput)")
        try await expectReport(product, of: urls[0], in: result.errorOutput)
    }

    /// The command, `show`, and `doctor` name the source of the failure.
    private func expectReport(_ product: Product, of url: String, in output: String) async throws {
        #expect(output.contains(url + ": "), "\(output)")
        let id = try #require(try await product.list("--all").first?["id"])
        for command in ["show", "doctor"] {
            let words = try await product.succeed(command, id)
            #expect(
                words.contains(url + ": ") && words.contains("0 B received") && words.contains("last failure: "),
                "\(words)")
        }
    }

    /// Without any proof, the mirror's whole file replaces the bytes.
    @Test func aMirrorReplacesWhatCannotBeProved() async throws {
        let product = try Product()
        let first = try NastyServer(routes: [
            "/f.bin": Route.first(
                1, .file(Self.content, etag: "W/\"v1\"").cut(after: 3 << 20), then: .status(404))
        ])
        let mirror = try NastyServer(routes: ["/g.bin": Route(.file(Self.other, etag: "W/\"v1\""))])
        try await product.succeed(
            "download", "--split", "1", "-o", "f.bin", "--mirror", mirror.url("/g.bin"), first.url("/f.bin"))
        #expect(try product.home.read("work/f.bin") == Self.other.bytes())
    }

    /// Killed repeatedly while both servers send parts of the file, and one of them gets another version in the middle.
    @Test func killsAndANewVersionOnOneMirrorLeaveOneVersion() async throws {
        let product = try Product()
        let slow = Latch()
        let servers = try (0..<2).map { number in
            try NastyServer(routes: [
                "/f.bin": .decided { _, visit in
                    // Each connection stalls after a part, so that every kill interrupts one.
                    if visit < 5 { return .file(Self.content, etag: "\"v1\"").stalled(after: 1 << 19, by: slow) }
                    return number == 0
                        ? .file(Self.content, etag: "\"v1\"") : .file(Self.other, etag: "\"v2\"")
                }
            ])
        }
        let id = try await product.succeed(
            "download", "--detach", "--split", "4", "-o", "f.bin", "--mirror", servers[1].url("/f.bin"),
            servers[0].url("/f.bin"))
        for round in 1...5 {
            _ = try await servers[0].waitForRequests(round)
            try await product.killService()
            _ = try await product.longhaul("list")
        }
        slow.open()
        try await product.succeed("watch", id)
        let bytes = try product.home.read("work/f.bin")
        #expect(bytes == Self.content.bytes() || bytes == Self.other.bytes())
    }
}
