import LonghaulCore
import TestSupport
import Testing

/// One, a few, and many simultaneous transfers of each kind, from the command line to the server's count.
@Suite(.tags(.libcurl)) struct ManyAtOnceTests {
    static let counts = [1, 6, 64]

    @Test(arguments: counts, Transport.allCases)
    func transfersOfEachKindAllArrive(count: Int, transport: Transport) async throws {
        let test = try #require(Test.current)
        try await EachTransport.run(test, over: transport, variant: "\(count) at once") {
            let product = try Product()
            try await product.succeed("limits", "--total", "256", "--per-host", "256")
            let crowd = try TestFiles(count, in: product)
            let tus = TusService(path: "/files/", keepingBytes: 0)
            let server = try NastyServer(keepingBodies: 0)
            server.setRoute("/files/*", tus.route)
            server.setRoute("/put/*", Reply.status(201))
            server.setRoute("/form/*", Reply.status(201))
            server.setRoute("/get/*", .decided { request, _ in crowd.file(request.path) })
            for number in 0..<count {
                try await product.succeed(
                    "upload", "--detach", "-F", "f=@\(crowd.names[number])", server.url("/form/\(number)"))
            }
            try await crowd.upload(server.url("/put/"))
            try await crowd.upload(server.url("/files/"), "--tus")
            try await crowd.download(server.url("/get/"))
            try await crowd.waitForEnd()
            let bodies = server.requests.filter { $0.bodyLength > 0 }
            let puts = bodies.filter { $0.method == "PUT" }
            #expect(puts.count == count && Set(puts.map(\.bodyChecksum)) == crowd.checksums)
            let forms = bodies.filter { $0.path.hasPrefix("/form/") }
            #expect(forms.count == count && forms.allSatisfy { $0.isBodyComplete && $0.bodyLength > crowd.length })
            let uploads = tus.uploads.map { "\($0.path): \($0.offset)" }
            #expect(
                Set(tus.uploads.compactMap(\.checksum)) == crowd.checksums && tus.uploads.count == count, "\(uploads)")
            try crowd.checkDownloads()
        }
    }
}

/// The files of one test, all different, that are uploaded and downloaded.
struct TestFiles: Sendable {
    let product: Product
    let names: [String]
    let contents: [Content]
    let length: Int64 = 150_000
    let checksums: Set<Checksum>

    init(_ count: Int, in product: Product) throws {
        self.product = product
        names = (0..<count).map { "\($0).bin" }
        let length = length
        contents = (0..<count).map { Content(seed: UInt64(500 + $0), length: length) }
        checksums = Set(contents.map(\.checksum))
        try product.home.makeDirectory("work/down")
        for (name, content) in zip(names, contents) { try product.home.write(content, to: "work/\(name)") }
    }

    /// Returns the server's response for a path that ends with a name.
    func file(_ path: String) -> Reply {
        guard let name = path.split(separator: "/").last, let place = names.firstIndex(of: String(name)) else {
            return .status(404)
        }
        return .file(contents[place], etag: "\"v1\"")
    }

    func upload(_ url: String, _ options: String..., first: Int = .max) async throws {
        try await submit(["upload", "--detach"] + options + names.prefix(first) + [url])
    }

    func download(_ url: String, _ options: String...) async throws {
        try product.home.write(names.map { "\(url)\($0)\n" }.joined().utf8, to: "work/list")
        try await submit(["download", "--detach", "-d", "down", "-i", "list"] + options)
    }

    private func submit(_ words: [String]) async throws {
        let result = try await product.call("longhaul", words).run()
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
    }

    /// Returns when no transfer is active; every transfer must have succeeded.
    func waitForEnd() async throws {
        let result = try await product.call("longhaul", ["watch"]).run()
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        let wrong = try await product.list("--all").filter { $0["state"] != "succeeded" }
        #expect(wrong.isEmpty, "\(wrong.count) failed: \(wrong.first.map { "\($0)" } ?? "")")
    }

    func checkDownloads() throws {
        for (name, content) in zip(names, contents) {
            let (found, wanted) = (try product.home.read("work/down/\(name)"), content.bytes())
            guard found != wanted else { continue }
            let first = zip(found, wanted).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? 0
            Issue.record("\(name) has \(found.count) bytes, and differs from byte \(first) on")
        }
    }
}
