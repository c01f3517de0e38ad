import LonghaulCore
import TestSupport
import Testing

/// The URL of an accepted upload: in the last line, in `show`, and in JSON.
@Suite(.tags(.libcurl), .onEachTransport) struct UploadResultTests {
    private let product: Product
    private let content = Content(seed: 23, length: 300_000)

    init() throws {
        product = try Product()
        try product.home.write(content, to: "work/a.jpg")
    }

    private func upload(_ arguments: String...) async throws -> (error: String, output: String, show: String) {
        let result = try await product.call("longhaul", ["upload"] + arguments).run()
        #expect(result.exitStatus == 0, "\(result.errorOutput)")
        let id = try #require(try await product.list().first?["id"])
        let show = try await product.succeed("show", id, "--json")
        return (result.errorOutput, result.output, show)
    }

    @Test(arguments: [false, true]) func tusUploadHasItsURL(losesReply: Bool) async throws {
        let uploads = TusService(path: "/files/")
        if losesReply { uploads.script("PATCH", .loseReply) }
        let server = try NastyServer(routes: ["/files/*": uploads.route])
        let (error, output, show) = try await upload("--tus", "a.jpg", server.url("/files/"))
        let url = server.url(try #require(uploads.uploads.last).path)
        // After a lost response, the upload is found by HEAD, whose status is 200.
        #expect(error.contains(": \(losesReply ? 200 : 204) \(url)\n") && output.isEmpty, "\(error)")
        #expect(show.contains("\"resultURL\":\"\(url)\"") && show.contains("\"location\":\"\(url)\""), "\(show)")
    }

    @Test(arguments: [["a.jpg"], ["-F", "a=@a.jpg"]]) func createdResourceIsShown(_ what: [String]) async throws {
        let reply = Reply.status(201, body: "https://host.example/1ca353\n")
            .with { $0.headers.append(HeaderField("Location", "/files/1ca353?token=s3cret")) }
        let server = try NastyServer(routes: ["/moved": Route(.redirect(308, to: "/in")), "/in": Route(reply)])
        let result = try await product.call("longhaul", ["upload"] + what + [server.url("/moved")]).run()
        #expect(result.exitStatus == 0 && result.output == "https://host.example/1ca353\n", "\(result)")
        #expect(result.errorOutput.contains(": 201 \(server.url("/files/1ca353"))?(secret)\n"), "\(result.errorOutput)")
        let id = try #require(try await product.list().first?["id"])
        let show = try await product.succeed("show", id, "--json") + product.succeed("show", id)
        #expect(show.contains("\"url\":\"\(server.url("/in"))\"") && !show.contains("s3cret"), "\(show)")
    }

    /// Stores that sign the type of a file expect none unless the user gives one.
    @Test func fileHasNoTypeUnlessGiven() async throws {
        let server = try NastyServer(routes: ["/in*": Route(.status(204))])
        _ = try await upload("a.jpg", server.url("/in"))
        _ = try await upload("-H", "Content-Type: image/jpeg", "a.jpg", server.url("/in2"))
        #expect(server.requests(to: "/in").first?.header("Content-Type") == nil)
        #expect(server.requests(to: "/in2").first?.header("Content-Type") == "image/jpeg")
    }

    @Test func headersAreOmitted() async throws {
        let server = try NastyServer(routes: ["/in*": Route(.status(204))])
        let names = ["Content-Type", "User-Agent", "Accept", "Expect"]
        let words = names.flatMap { ["-H", "\($0):"] }
        try await product.succeed("request", "POST", server.url("/in"), "--data", "a=b")
        let result = try await product.call(
            "longhaul", ["request", "POST", server.url("/in2"), "--data", "a=b"] + words
        ).run()
        #expect(result.exitStatus == 0, "\(result.errorOutput)")
        _ = try await upload("-H", "Expect:", "-H", "X-Empty;", "a.jpg", server.url("/in3"))
        let (usual, bare) = (server.requests(to: "/in"), server.requests(to: "/in2"))
        #expect(names.dropLast().allSatisfy { usual.first?.header($0) != nil })
        #expect(names.allSatisfy { bare.first?.header($0) == nil } && bare.first?.bodyLength == 3)
        let upload = try #require(server.requests(to: "/in3").first)
        #expect(upload.header("Expect") == nil && upload.header("X-Empty")?.isEmpty == true)
    }

    @Test func putHasItsURLAfterTheServiceIsKilled() async throws {
        let server = try NastyServer(routes: ["/in/*": Route(.status(204))])
        _ = try await upload("a.jpg", server.url("/in/"))
        try await product.killService()
        let id = try #require(try await product.list().first?["id"])
        let show = try await product.succeed("show", id, "--json")
        #expect(show.contains("\"status\":204,") && show.contains("\"url\":\"\(server.url("/in/a.jpg"))\""), "\(show)")
    }

    @Test func headPrintsHeaders() async throws {
        let server = try NastyServer(routes: ["/f": Route(.file(content, etag: "\"v1\""))])
        let output = try await product.succeed("request", "HEAD", server.url("/f"))
        #expect(output.hasPrefix("HTTP 200\n") && output.lowercased().contains("etag: \"v1\""), "\(output)")
    }
}
