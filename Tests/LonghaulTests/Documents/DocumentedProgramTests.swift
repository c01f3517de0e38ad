import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Every page with a program.
enum Page: String, CaseIterable {
    case readme = "README.md"
    case library = "Longhaul"
    case tutorial = "FirstUpload"
    case download = "DownloadWithProgress"
    case photos = "UploadManyFiles"
    case form = "PostAForm"
    case request = "MakeASmallRequest"
    case credentials = "Credentials"
    case notifications = "Notifications"
    case waking = "Waking"
    case task = "RunBackgroundTasks"
    case rules = "SetRulesAndLimits"
    case list = "ShowAList"
    case lifecycle = "Lifecycle"
    case handoff = "LeavingAndReturning"
    case termination = "SendARequestAtTermination"
    case migration = "MovingFromURLSession"

    var document: String {
        rawValue.hasSuffix(".md") ? rawValue : "Sources/Longhaul/Longhaul.docc/\(rawValue).md"
    }

    var programs: [CodeBlock] {
        get throws { try CodeBlock.all(in: document).filter { $0.isProgram && !$0.isManifest && !$0.isAppleFile } }
    }
}

/// A program of a page, in the home of a product.
private struct App {
    let product: Product
    let path: String

    func callAsFunction(_ arguments: String...) -> ProgramCall { self(arguments) }

    func callAsFunction(_ arguments: [String]) -> ProgramCall {
        var call = product.call("App", arguments)
        call.path = path
        return call
    }

    /// Starts it on a terminal, which gets each line at once.
    func start(_ arguments: String...) throws -> ChildProcess { try start(arguments) }

    func start(_ arguments: [String]) throws -> ChildProcess {
        var call = self(arguments)
        call.terminal = (columns: 200, rows: 24)
        return try ChildProcess(call)
    }
}

/// The programs in the articles and in README.md are built as printed and run to their end with the real service.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"), .onEachTransport)
struct DocumentedProgramTests {
    private let product: Product
    private let latch = Latch()
    private let content = Content(seed: 42, length: 3 << 20)

    init() throws {
        product = try Product()
    }

    @Test func everyPageWithAProgramHasATest() async throws {
        let call = ["-rl", "--include=*.md", "^```swift$", "README.md", "Sources"]
        let found = try await AppCompiler.run("grep", call, home: product.home).output.split(separator: "\n")
        #expect(found.map(String.init).sorted() == Page.allCases.map(\.document).sorted())
        for page in Page.allCases { #expect(try page.programs.count == 1, "\(page)") }
    }

    @Test(arguments: [Page.readme, .download]) func downloadReachesItsDirectory(_ page: Page) async throws {
        let server = try NastyServer(routes: ["/film.mp4": Route(.file(content, etag: "\"v1\""))])
        let result = try await build(page)(server.url("/film.mp4")).run()
        #expect(result.ending == .exited(0), "\(result)")
        #expect(result.output.hasSuffix("/film.mp4\n"), "\(result.output)")
        #expect(try product.home.read("work/film.mp4") == content.bytes())
    }

    @Test func failedDownloadPrintsItsSentence() async throws {
        let server = try NastyServer(routes: ["/film.mp4": Route(.status(404))])
        let result = try await build(.download)(server.url("/film.mp4")).run()
        #expect(result.ending == .exited(1) && result.output.contains("(404)"), "\(result.output)")
    }

    @Test func missingServiceIsPrintedInOneLine() async throws {
        try product.keepServiceOut()
        let result = try await build(.readme)("http://127.0.0.1:9/film.mp4").run()
        #expect(result.ending == .exited(1))
        #expect(result.errorOutput.hasSuffix(" [serviceUnavailable]\n"), "\(result.errorOutput)")
        #expect(result.errorOutput.split(separator: "\n").count == 1, "\(result.errorOutput)")
    }

    @Test func unknownCertificateIsAcceptedByTheUser() async throws {
        let server = try NastyServer(routes: ["/film.mp4": Route(.file(content, etag: "\"v1\""))], over: .secureHTTP1)
        var call = try await build(.migration)(server.url("/film.mp4"), "s3cret")
        call.input = Array("y\n".utf8)
        let result = try await call.run()
        #expect(result.ending == .exited(0) && result.output.contains("fingerprint"), "\(result)")
        #expect(try product.home.read("work/film.mp4") == content.bytes())
        #expect(server.requests.allSatisfy { $0.header("Authorization") == "Bearer s3cret" })
    }

    @Test func uploadPrintsTheStatus() async throws {
        try product.home.write(content, to: "work/beach.jpg")
        let server = try NastyServer(routes: ["/photos/beach.jpg": Route(.status(201))])
        let result = try await build(.library)("beach.jpg", server.url("/photos/")).run()
        #expect(result.ending == .exited(0) && result.output.hasSuffix("201\n"), "\(result)")
    }

    /// With the server that the tutorial prints.
    @Test func killedUploadArrivesOnce() async throws {
        try product.home.write(content, to: "work/beach.jpg")
        let script = try #require(try CodeBlock.all(in: Page.tutorial.document, language: "python").first)
        try product.home.write(Array(script.lines.joined(separator: "\n").utf8), to: "work/server.py")
        var call = product.call("python3", ["server.py", "0"])
        call.path = "/usr/bin/python3"
        let server = try ChildProcess(call)
        let port = try await server.waitForOutput(for: "its port") { output in
            output.firstMatch(of: /port (\d+)\n/).map { String($0.1) }
        }
        let app = try await build(.tutorial)
        let arguments = ["http://127.0.0.1:\(port)/", "beach.jpg"]
        let first = try app.start(arguments)
        try await first.waitForOutput(containing: "beach.jpg: ")
        first.signal(SIGKILL)
        #expect(try await first.waitForEnd() == .killed(signal: SIGKILL))
        let second = try app.start(arguments)
        #expect(try await second.waitForEnd() == .exited(0), "\(second.output)")
        #expect(second.output.contains("earlier launch: beach.jpg"), "\(second.output)")
        #expect(second.output.contains("The server answered 201"), "\(second.output)")
        #expect(server.output.matches(of: /Received/).count == 1, "\(server.output)")
        #expect(server.output.contains("Received /beach.jpg: \(content.length) bytes"), "\(server.output)")
    }

    @Test func photosOfAKilledAppArriveOnce() async throws {
        let names = (1...20).map { "\($0).jpg" }
        for name in names { try product.home.write(content, to: "work/\(name)") }
        let server = try NastyServer(routes: ["/album/*": Route(Reply.status(201).held(by: latch))])
        let app = try await build(.photos)
        let first = try app.start([server.url("/album/")] + names)
        try await latch.waitForArrivals()
        first.signal(SIGKILL)
        try await first.waitForEnd()
        latch.open()
        let second = try await app([server.url("/album/")] + names).run()
        #expect(second.ending == .exited(0) && second.output.contains("20 of 20"), "\(second)")
        #expect(server.requests.map(\.path).sorted() == names.map { "/album/\($0)" }.sorted())
        #expect(server.requests.allSatisfy { $0.bodyLength == content.length })
    }

    @Test func formReachesTheServer() async throws {
        try product.home.write(content, to: "work/dunes.jpg")
        let server = try NastyServer(routes: ["/photos": Route(.status(201, body: "photo 7"))])
        let result = try await build(.form)(server.url("/photos"), "dunes.jpg").run()
        #expect(result.ending == .exited(0) && result.output.contains("201: photo 7"), "\(result)")
        let body = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
        for part in ["name=\"title\"", "Dunes", "name=\"photo\"; filename=\"dunes.jpg\"", "name=\"note\""] {
            #expect(body.contains(part), "\(part)")
        }
    }

    @Test func requestPrintsTheResponse() async throws {
        let server = try NastyServer(routes: ["/today": Route(.status(200, body: "sunny"))])
        let result = try await build(.request)(server.url("/today")).run()
        #expect(result.ending == .exited(0) && result.output.contains("200: sunny"), "\(result)")
    }

    /// The time comes while the app is not running: the service starts it.
    @Test(.enabled(if: SetClock.missing == nil, "\(SetClock.missing ?? "")"))
    func dailyTaskRunsWhenDueWithoutTheApp() async throws {
        let server = try NastyServer(routes: ["/today": Route(.status(200, body: "sunny"))])
        // 2026-11-26 11:59:00 UTC
        let clock = try await SetClock(in: product.home, at: WallTime(seconds: 1_795_694_340))
        var call = try await build(.task)(server.url("/today"), "weather.txt")
        call.environment.merge(clock.variables.merging(["TZ": "UTC"]) { $1 }) { $1 }
        let result = try await call.run()
        #expect(result.ending == .exited(0), "\(result)")
        #expect(server.requests.isEmpty && !product.home.exists("work/weather.txt"))
        try clock.set(to: WallTime(seconds: 1_795_694_402))
        // Only a call wakes the service, which sleeps by the real clock.
        var list = product.call("longhaul", ["tasks", "list", "--session", "org.example.storms"])
        list.environment = call.environment
        #expect(try await list.run().ending == .exited(0))
        try await product.home.waitForBytes(of: "work/weather.txt", count: 5)
        #expect(try product.home.read("work/weather.txt") == Array("sunny".utf8))
        #expect(server.requests.count == 1)
    }

    @Test func namedCredentialReachesTheServer() async throws {
        let film = Reply.file(content, etag: "\"v1\"")
        let server = try NastyServer(routes: [
            "/film.mp4": .decided { request, _ in
                request.header("Authorization") == "Bearer s3cret" ? film : .status(401)
            }
        ])
        let result = try await build(.credentials)(server.url("/film.mp4"), "s3cret").run()
        #expect(result.ending == .exited(0) && result.output.hasSuffix("/film.mp4\n"), "\(result)")
        #expect(try product.home.read("work/film.mp4") == content.bytes())
    }

    @Test func notificationsAreEnabledAfterTheAppExits() async throws {
        let server = try NastyServer(routes: ["/film.mp4": Route(.file(content, etag: "\"v1\""))])
        let result = try await build(.notifications)(server.url("/film.mp4")).run()
        #expect(result.ending == .exited(0), "\(result)")
        let session = try await product.longhaul("session", "org.example.player").output
        #expect(session.contains("as Player: ") && session.contains("progress"), "\(session)")
    }

    @Test func serviceStartsTheAppForItsDownload() async throws {
        let server = try NastyServer(routes: [
            "/film.mp4": Route(Reply.file(content, etag: "\"v1\"").held(by: latch))
        ])
        let result = try await build(.waking)(server.url("/film.mp4"), "log.txt").run()
        #expect(result.ending == .exited(0) && !product.home.exists("work/log.txt"), "\(result)")
        latch.open()
        let line = "film.mp4: Succeeded.\n"
        try await product.home.waitForBytes(of: "work/log.txt", count: line.utf8.count)
        #expect(String(decoding: try product.home.read("work/log.txt"), as: UTF8.self) == line)
        #expect(try product.home.read("work/film.mp4") == content.bytes())
    }

    @Test func rulesAndLimitsAreKept() async throws {
        let result = try await build(.rules)().run()
        #expect(result.ending == .exited(0), "\(result)")
        let rules = try await product.longhaul("rules", "--session", "org.example.player").output
        let limits = try await product.longhaul("limits", "--session", "org.example.player").output
        #expect(rules.contains("22:00-06:00") && rules.contains(/metered networks +no/), "\(rules)")
        for words in ["2.0 MiB/s", "5.0 GiB", "4", "2"] { #expect(limits.contains(words), "\(words): \(limits)") }
    }

    @Test func listShowsWhatAnotherProgramStarted() async throws {
        let server = try NastyServer(routes: [
            "/film.mp4": Route(Reply.file(content, etag: "\"v1\"").held(by: latch)), "/gone.mp4": Route(.status(404)),
        ])
        let download = try await build(.download)
        let first = try ChildProcess(download(server.url("/film.mp4")))
        try await latch.waitForArrivals()
        let list = try await build(.list).start()
        try await list.waitForOutput(containing: "film.mp4")
        latch.open()
        #expect(try await first.waitForEnd() == .exited(0))
        #expect(try await list.waitForEnd() == .exited(0))
        #expect(list.output.contains("film.mp4: Succeeded."), "\(list.output)")
    }

    @Test func signalLeadsToTermination() async throws {
        let app = try await build(.lifecycle).start()
        try await app.waitForOutput(containing: "active")
        app.signal(SIGTERM)
        #expect(try await app.waitForEnd() == .killed(signal: SIGTERM))
        #expect(app.output.split(whereSeparator: \.isNewline) == ["active", "terminating", "saved"], "\(app.output)")
    }

    @Test(arguments: [SIGTERM, SIGKILL]) func serviceContinuesTheDownload(after signal: Int32) async throws {
        let server = try NastyServer(routes: [
            "/film.mp4": Route(Reply.file(content, etag: "\"v1\"").held(by: latch))
        ])
        let program = try await build(.handoff)
        let first = try program.start(server.url("/film.mp4"))
        try await latch.waitForArrivals()
        first.signal(signal)
        #expect(try await first.waitForEnd() == .killed(signal: signal))
        #expect(first.output.contains("continues without this app") == (signal == SIGTERM), "\(first.output)")
        latch.open()
        let second = try program.start(server.url("/film.mp4"))
        if signal == SIGKILL { try await second.waitForOutput(containing: "transfers were interrupted") }
        try await product.home.waitForBytes(of: "work/film.mp4", count: Int(content.length))
        second.signal(SIGKILL)
        #expect(try product.home.read("work/film.mp4") == content.bytes())
    }

    @Test(arguments: [SIGTERM, SIGKILL]) func endOfTheProcessIsReported(by signal: Int32) async throws {
        let server = try NastyServer(routes: ["/status": Route(.status(200))])
        let app = try await build(.termination).start(server.url("/status"))
        try await app.waitForOutput(containing: "running")
        app.signal(signal)
        try await app.waitForEnd()
        let request = try #require(try await server.waitForFinishedRequests(1).first)
        #expect(String(decoding: request.body, as: UTF8.self) == (signal == SIGTERM ? "stopped" : "lost"))
    }

    private func build(_ page: Page) async throws -> App {
        let block = try #require(try page.programs.first)
        let name = page.rawValue.split(separator: ".").joined()
        return App(product: product, path: try await AppCompiler.build(block, named: name, in: product.home))
    }
}
