import Glibc
import LonghaulCore
import TestSupport
import Testing

/// The example in the documentation, run unchanged.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"), .onEachTransport)
struct ExampleTests {
    private let latch = Latch()
    private let product: Product
    private let content = Content(seed: 6, length: 8 << 20)

    init() throws {
        product = try Product()
        try product.home.write(content, to: "work/beach.jpg")
    }

    @Test func aPhotoIsSentOnceWhenTheServiceMovesItAndTheAppIsKilled() async throws {
        let held = Reply.status(200, body: "thanks").held(by: latch)
        let server = try NastyServer(routes: ["/album": Route(held)])
        let app = try start("--service", server.url("/album"), "beach.jpg")
        try await app.waitForOutput(containing: "beach.jpg: sent, waiting for the server")
        app.signal(9)
        try await app.waitForEnd()
        latch.open()
        let again = try start("--service", server.url("/album"), "beach.jpg")
        try await again.waitForOutput(containing: "beach.jpg: done")
        #expect(try await again.waitForEnd() == .exited(0))
        #expect(server.requests.map(\.path) == ["/album"], "the photo was already submitted and is sent once")
    }

    @Test func leavingWaitsForTheAnswerToAPhotoThatWasSent() async throws {
        let held = Reply.status(200, body: "thanks").held(by: latch)
        let server = try NastyServer(routes: ["/album": Route(held)])
        let app = try start(server.url("/album"), "beach.jpg")
        try await app.waitForOutput(containing: "beach.jpg: sent, waiting for the server")
        app.signal(15)
        latch.open()
        try await app.waitForEnd()
        // The first process that gets the response prints it: the launch that waited for it, or the next one.
        let again = try start()
        try await again.waitForEnd()
        #expect((app.output + again.output).contains("beach.jpg: done"))
        #expect(server.requests.count == 1)
    }

    @Test func nextLaunchReportsKillAndUploadFinishes() async throws {
        let tus = TusService(path: "/files/")
        tus.script("PATCH", .holdReply(latch))
        let server = try NastyServer(routes: ["/files/*": tus.route])
        let app = try start(server.url("/files/"), "beach.jpg")
        try await app.waitForOutput(containing: "beach.jpg: sent, waiting for the server")
        // The bytes in the sockets when the app dies are sent again.
        try await latch.waitForArrivals()
        app.signal(9)
        try await app.waitForEnd()
        let again = try start()
        try await again.waitForOutput(containing: "This app was ended by force while it uploaded")
        try await again.waitForOutput(containing: "beach.jpg: done")
        latch.open()
        #expect(tus.uploads.map(\.checksum) == [content.checksum])
        #expect(server.requests.reduce(0) { $0 + $1.bodyLength } == content.length)
    }

    @Test func failedPhotoStartsAgainWhenNamedAgain() async throws {
        let server = try NastyServer(routes: ["/album": .inTurn(.status(403), .status(200))])
        let app = try start(server.url("/album"), "beach.jpg")
        try await app.waitForOutput(containing: "beach.jpg: failed.")
        try await app.waitForEnd()
        let again = try start(server.url("/album"), "beach.jpg")
        try await again.waitForOutput(containing: "beach.jpg: done")
        #expect(try await again.waitForEnd() == .exited(0))
    }

    @Test func changedPhotoIsUploadedWhenRequestedAgain() async throws {
        let server = try NastyServer(routes: ["/album": .inTurn(.status(403), .status(200))])
        let refused = try start(server.url("/album"), "beach.jpg")
        #expect(try await refused.waitForEnd() == .exited(1), "it failed")
        try product.home.write(Content(seed: 7, length: 9 << 20), to: "work/beach.jpg")
        let again = try start(server.url("/album"), "beach.jpg")
        try await again.waitForOutput(containing: "beach.jpg: done")
        #expect(try await again.waitForEnd() == .exited(0))
        #expect(!again.output.contains("failed") && server.requests.last?.bodyLength ?? 0 > 9 << 20)
    }

    @Test func photoChangedWhileAppWasClosedIsUploadedAgain() async throws {
        let server = try NastyServer(routes: ["/album": .inTurn(.status(403), .status(200))])
        try await start("--service", server.url("/album"), "beach.jpg").waitForEnd()
        try product.home.write(Content(seed: 7, length: 9 << 20), to: "work/beach.jpg")
        let session = ["--session", "org.example.photo-upload"]
        #expect(try await product.call("longhaul", ["retry", "--all"] + session).run().ending == .exited(0))
        _ = try await product.call("longhaul", ["watch"] + session).run()
        let again = try start("--service", server.url("/album"), "beach.jpg")
        try await again.waitForOutput(containing: "beach.jpg: done")
        #expect(try await again.waitForEnd() == .exited(0))
        #expect(!again.output.contains("failed"), "the failure of the old version is not reported for the new one")
    }

    @Test func deletedPhotoIsReportedWhenNamedAgain() async throws {
        let server = try NastyServer(routes: ["/album": Route(.status(403))])
        try await start(server.url("/album"), "beach.jpg").waitForEnd()
        unlink(product.home.path("work/beach.jpg"))
        let again = try start(server.url("/album"), "beach.jpg")
        #expect(try await again.waitForEnd() == .exited(1))
        #expect(again.output.contains("There is no file") && again.output.contains("beach.jpg"))
        #expect(server.requests.count == 1)
    }

    @Test func exitWithoutServiceReportsWaitingPhotos() async throws {
        let server = try NastyServer(routes: ["/album": Route(Reply.status(200).held(by: latch))])
        try product.keepServiceOut()
        // Without a terminal, buffered output is lost with the process.
        let call = product.call("PhotoUpload", [server.url("/album"), "beach.jpg"])
        let app = try ChildProcess(call)
        try await app.waitForOutput(containing: "beach.jpg: sent, waiting for the server")
        app.signal(15)
        try await app.waitForEnd()
        #expect(app.output.hasSuffix("The photos wait for the next launch.\n"))
        #expect(product.serviceID == nil)
    }

    @Test func aPhotoIsUploadedByTusWithoutAService() async throws {
        let tus = TusService(path: "/files/")
        let server = try NastyServer(routes: ["/files/*": tus.route])
        try product.keepServiceOut()
        let app = try start(server.url("/files/"), "beach.jpg")
        try await app.waitForOutput(containing: "beach.jpg: done")
        #expect(try await app.waitForEnd() == .exited(0))
        #expect(tus.uploads.map(\.checksum) == [content.checksum])
        #expect(product.serviceID == nil)
    }

    @Test func aDownloadThatEndsStartsItsProgramAgain() async throws {
        let server = try NastyServer(routes: ["/film": Route(Reply.file(content, etag: "\"v1\""))])
        let work = product.home.path("work")
        try product.home.write([], to: "work/finished.txt")
        var follow = product.call("BackgroundDownload", ["-n", "+1", "-F", work + "/finished.txt"])
        follow.path = "/usr/bin/tail"
        let list = try ChildProcess(follow)
        let asked = try await product.call("BackgroundDownload", [server.url("/film"), work]).run()
        #expect(asked.output == "The download continues without this program.\n")
        try await list.waitForOutput(containing: "film: Succeeded.\n")
        #expect(try product.home.read("work/film") == content.bytes())
    }

    /// The examples are compiled here with the other targets; the package manager reads their own package files.
    @Test(arguments: ["PhotoUpload", "BackgroundDownload", "Stormy"])
    func thePackageOfTheExampleIsValid(_ name: String) async throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        var environment = product.environment
        environment["PATH"] = getenv("PATH").map { String(cString: $0) }
        var call = ProgramCall("/usr/bin/env", ["swift", "package", "dump-package"], environment: environment)
        call.directory = root + "/Examples/" + name
        let result = try await call.run()
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        #expect(result.output.contains("\"\(name)\"") && result.output.contains("\"Longhaul\""))
    }

    private func start(_ arguments: String...) throws -> ChildProcess {
        var call = product.call("PhotoUpload", arguments)
        call.terminal = (columns: 100, rows: 24)
        return try ChildProcess(call)
    }
}
