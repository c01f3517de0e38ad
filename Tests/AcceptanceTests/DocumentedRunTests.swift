import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Runs every command of the README, the tutorial, and the how-to pages, in the order of the page, as a user would paste it.
///
/// Public hosts are replaced by local servers, and placeholders such as `URL` by values. Commands that need root or systemd run in the
/// check of the package; the test verifies that they are listed there.
@Suite(.tags(.libcurl), .onEachTransport) struct DocumentedRunTests {
    @Test(arguments: DocumentedPage.names) func everyCommandRuns(_ name: String) async throws {
        let page = try DocumentedPage(name)
        let world = try PageWorld(page)
        #expect(!page.steps.isEmpty, "\(page.name) has no command")
        for step in page.steps { try await world.run(step) }
    }
}

/// A page with its commands.
struct DocumentedPage {
    struct Step {
        var text: String
        /// Commands of one code block share their transfers.
        var block: Int
    }

    let name: String
    let steps: [Step]
    /// Contents of files that blocks without a prompt show.
    let samples: [String]

    static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    static var names: [String] {
        let directories = ["docs/tutorial", "docs/how-to"]
        let pages = directories.flatMap { directory in
            TemporaryDirectory.names(in: "\(root)/\(directory)").sorted().map { "\(directory)/\($0)" }
        }
        return ["README.md"] + pages.filter { $0.hasSuffix(".md") }
    }

    static func read(_ name: String) throws -> String {
        guard let file = fopen("\(root)/\(name)", "re") else { throw Unexpected() }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Reads `$ ` lines and `sh` blocks first, and then the commands of tables and sentences, which may rely on the results of the blocks.
    init(_ name: String) throws {
        self.name = name
        var (blocks, inline, samples) = ([Step](), [String](), [String]())
        var fence: String?
        var number = 0
        var sample = ""
        for line in try Self.read(name).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if fence == "sh" { blocks.append(Step(text: sample, block: number)) }
                if fence == "" { samples.append(sample) }
                fence = fence == nil ? String(line.dropFirst(3)) : nil
                number += 1
                sample = ""
            } else if fence == nil {
                let spans = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                inline += spans.filter { $0.offset % 2 == 1 && Self.isCommand($0.element) }.map { String($0.element) }
            } else if line.hasPrefix("$ ") {
                blocks.append(Step(text: String(line.dropFirst(2)), block: number))
            } else {
                sample += line + "\n"
            }
        }
        steps = blocks + inline.enumerated().map { Step(text: $0.element, block: -1 - $0.offset) }
        self.samples = samples
    }

    private static func isCommand(_ span: Substring) -> Bool {
        ["longhaul ", "scripts/", "sudo ", "swift run "].contains { span.hasPrefix($0) }
    }
}

/// The home directory and the servers of one page.
private final class PageWorld {
    /// How a command that does not just succeed is run.
    private enum Handling {
        /// At a terminal, with Ctrl-C when this text is shown.
        case interrupted(at: String)
        /// At a terminal, with an answer from the user when this text is shown.
        case typed(String, at: String)
        /// Another check runs it: the file contains this text.
        case elsewhere(String, String)
    }

    private static let handlings: [String: Handling] = [
        "longhaul top": .typed("q", at: "longhaul"),
        "longhaul watch": .interrupted(at: "Contents"),
        "longhaul --limit-rate 2M https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.12.tar.xz":
            .interrupted(at: "%"),
        "longhaul --between 22:00-06:00 URL": .interrupted(at: "f"),
        "longhaul -u ada URL": .typed("s3cret\n", at: "assword"),
        "longhaul -u NAME URL": .typed("s3cret\n", at: "assword"),
        "longhaul -u ada --digest URL": .typed("s3cret\n", at: "assword"),
        "longhaul retry ID -u ada": .typed("s3cret\n", at: "assword"),
        "longhaul credentials give NAME URL --bearer": .typed("t0ken\n", at: "oken"),
        // Commands that need root, systemd, or another machine.
        "swift run App https://deb.debian.org/debian/ls-lR.gz":
            .elsewhere("Tests/LonghaulTests/Documents/DocumentedProgramTests.swift", "README.md"),
        "scripts/package": .elsewhere("scripts/test", "scripts/package --check"),
        "scripts/demo": .elsewhere("scripts/test", "scripts/demo"),
        "scripts/test": .elsewhere(".ci/run", "scripts/test"),
        "sudo apt install ./.build/package/longhaul_0.1.0_amd64.deb":
            .elsewhere("packaging/package-course.bash", "apt install /check/new.deb"),
        "sudo apt remove longhaul": .elsewhere("packaging/package-course.bash", "apt remove longhaul"),
        "longhaul setup": .elsewhere("packaging/package-course.bash", "longhaul setup"),
        "sudo loginctl enable-linger USER": .elsewhere("packaging/package-course.bash", "loginctl enable-linger"),
        "journalctl --user -u longhaul.service":
            .elsewhere("packaging/package-course.bash", "journalctl --user -u longhaul.service"),
        "mkdir -p ~/.config/systemd/user/longhaul.service.d":
            .elsewhere("packaging/package-course.bash", ".config/systemd/user/longhaul.service.d"),
        "cp /usr/share/doc/longhaul/examples/hardened.conf ~/.config/systemd/user/longhaul.service.d/":
            .elsewhere("packaging/package-course.bash", "cp /usr/share/doc/longhaul/examples/hardened.conf"),
        "systemctl --user daemon-reload": .elsewhere("packaging/package-course.bash", "systemctl --user daemon-reload"),
        "systemctl --user restart longhaul.service":
            .elsewhere("packaging/package-course.bash", "systemctl --user restart longhaul.service"),
    ]

    private let page: DocumentedPage
    private let product: Product
    private let server: NastyServer
    private let stranger: NastyServer
    private let tus = TusService(path: "/files/")
    private var transfers: [Int: String] = [:]
    private var count = 0

    init(_ page: DocumentedPage) throws {
        self.page = page
        product = try Product()
        let slow = Reply.file(Content(seed: 3, length: 20 << 20), etag: "\"v1\"")
        let small = Reply.file(Content(seed: 4, length: 2 << 20), etag: "\"v1\"")
        let archive = try Self.archive(in: product)
        server = try NastyServer(
            routes: [
                "/files/*": tus.route, "/pub/*": Route(slow), "/debian/dists/*": Route(small),
                "/src.tar.gz": Route(Reply().with { $0.body = archive }),
                "/*": .decided { request, _ in
                    ["GET", "HEAD"].contains(request.method)
                        ? .status(200, headers: [HeaderField("ETag", "\"t\"")], body: "test") : .status(201)
                },
            ], over: .http1)
        stranger = try NastyServer(routes: ["/*": Route(.status(200))], over: .secureHTTP1)
        try makeFiles()
        // The pages that keep the queue assume one.
        var first = product.call("longhaul", ["-q", server.url("/first")])
        first.environment = environment
        guard try first.run().exitStatus == 0 else { throw Unexpected() }
    }

    /// A compressed archive of one file.
    private static func archive(in product: Product) throws -> [UInt8] {
        try product.home.write("source\n".utf8, to: "work/source")
        var call = ProgramCall("/bin/tar", ["-czf", "src.tar.gz", "source"])
        call.directory = product.home.path("work")
        guard try call.run().exitStatus == 0 else { throw Unexpected() }
        return try product.home.read("work/src.tar.gz")
    }

    private func makeFiles() throws {
        let home = product.home
        for name in ["bin", "backup", "large", ".config", ".config/longhaul"] { try home.makeDirectory(name) }
        let origin = server.url("").replacing("http://", with: "")
        let files = [
            "work/README.md": "# A file\n", "work/backup.tar": "tar", "work/FILE": "te",
            "work/LIST": "\(server.url("/l/1"))\n\(server.url("/l/2"))\n", "work/url.txt": server.url("/l/4\n"),
            "work/urls.txt": server.url("/l/3\n"),
            "work/cookies.txt": "127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t42\n",
            ".netrc": "machine 127.0.0.1 login ada password s3cret\n",
            ".longhaul-credentials": "http://ada:s3cret@\(origin)\n",
        ]
        for (name, text) in files { try home.write(text.utf8, to: name) }
        chmod(home.path(".netrc"), 0o600)
        chmod(home.path(".longhaul-credentials"), 0o600)
        if let list = page.samples.first(where: { $0.hasPrefix("http") }) {
            try home.write(local(list).utf8, to: "work/urls.txt")
        }
        var key = ProgramCall(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=ada", "-keyout", "key.pem", "-out",
                "client.pem",
            ])
        key.directory = home.path("work")
        guard try key.run().exitStatus == 0 else { throw Unexpected() }
        try home.write(home.read("work/client.pem") + home.read("work/key.pem"), to: "work/client.pem")
    }

    func run(_ step: DocumentedPage.Step) async throws {
        let handling = Self.handlings[step.text]
        if case .elsewhere(let file, let text) = handling {
            #expect(try DocumentedPage.read(file).contains(text), "\(page.name): \(file) does not run: \(step.text)")
            return
        }
        if step.text.contains("--acknowledge-damage") { try await damageQueue() }
        var call = ProgramCall("/bin/bash", ["-c", try await filled(step)], environment: environment)
        call.directory = product.home.path("work")
        switch handling {
        case .interrupted(let text):
            try await runAtTerminal(call, step, "\u{3}", at: text, 130)
        case .typed(let answer, let text):
            try await runAtTerminal(call, step, answer, at: text, 0)
        case nil, .elsewhere:
            let result = try await call.run()
            #expect(result.exitStatus == 0, "\(page.name): \(step.text)\n\(result.output)\(result.errorOutput)")
        }
    }

    private func runAtTerminal(
        _ call: ProgramCall, _ step: DocumentedPage.Step, _ answer: String, at text: String, _ status: Int32
    ) async throws {
        var call = call
        call.terminal = (columns: 100, rows: 24)
        let child = try ChildProcess(call)
        try await child.waitForOutput(containing: text)
        child.type(answer)
        let ending = try await child.waitForEnd()
        #expect(ending == .exited(status), "\(page.name): \(step.text)\n\(child.output)")
    }

    private var environment: [String: String] {
        var environment = product.environment
        environment["XDG_STATE_HOME"] = nil
        environment["USER"] = "ada"
        // Noon, so that the night of `--between` is some hours away whenever the test runs.
        environment["TZ"] = "Noon\(time(nil) / 3_600 % 24 - 12)"
        environment["PATH"] = "\(product.home.path("bin")):" + (environment["PATH"] ?? "")
        environment["url"] = server.url("/src.tar.gz")
        environment["name"] = "monday"
        return environment
    }

    /// The command with values for its placeholders and local servers for public ones.
    private func filled(_ step: DocumentedPage.Step) async throws -> String {
        var text = local(step.text).replacing("/home/ada/", with: product.home.path("") + "/")
            .replacing("/backup/", with: product.home.path("backup") + "/")
            .replacing("/mnt/large", with: product.home.path("large"))
        if text.contains("$digest") {
            text = "digest=$(sha256sum src.tar.gz | cut -d' ' -f1)\n" + text.replacing("|| exit", with: "|| exit 9")
        }
        var words = [
            "NAME": "photos", "VALUE": "1", "TOKEN": "t0ken", "TEXT": "a", "DIR": "new", "COMMAND": "download",
        ]
        let isSHA1 = text.contains("sha-1=")
        words["HEX"] =
            isSHA1
            ? "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3"
            : "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        for (name, value) in words { text = text.replacing(try Regex("\\b\(name)\\b"), with: value) }
        // An output that exists already is refused.
        text = text.replacing("--cookie FILE", with: "--cookie cookies.txt")
        text = text.replacing("-o FILE", with: "-o file\(count)").replacing("-x PROXY", with: "-x \(server.url(""))")
        while let range = text.firstRange(of: try Regex("\\bURL\\b")) {
            count += 1
            text.replaceSubrange(range, with: server.url("/n/f\(count).bin"))
        }
        guard text.contains(try Regex("\\bID\\b")) else { return text }
        let id = try await transfer(for: step)
        return text.replacing(try Regex("\\bID\\b"), with: id)
    }

    private func local(_ text: String) -> String {
        let hosts = /https?:\/\/[a-z0-9.]+\.(org|example)(:[0-9]+)?/
        return text.replacing("https://tusd.tusdemo.net", with: server.url("")).replacing(hosts, with: server.url(""))
    }

    private func transfer(for step: DocumentedPage.Step) async throws -> String {
        // A refused transfer takes one of them.
        let isAlternative = [" retry ", " replace-url "].contains { step.text.contains($0) }
        if let id = transfers[step.block], !isAlternative { return id }
        count += 1
        let words =
            step.text.contains(" trust ")
            ? ["--retry", "0", stranger.url("/f\(count)")]
            : ["--not-before", "+1h", "--group", "films", server.url("/n/f\(count)")]
        var call = product.call("longhaul", ["-q", "-b"] + words)
        call.environment = environment
        let id = try await call.run().output.split(separator: "\n").joined()
        transfers[step.block] = id
        if step.text.contains(" trust ") {
            var watch = product.call("longhaul", ["watch", "-q", id])
            watch.environment = environment
            #expect(try await watch.run().exitStatus == 5)
        }
        return id
    }

    private func damageQueue() async throws {
        try await product.killService()
        let name = ".local/state/longhaul/sessions/longhaul.command-line/store.sqlite"
        var bytes = try product.home.read(name)
        for place in 100..<4_096 { bytes[place] ^= 0xFF }
        try product.home.write(bytes, to: name)
    }
}
