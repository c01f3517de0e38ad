import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

struct OrderTests {
    /// The transfers that a command line submits.
    private func submitted(_ words: [String], directory: String = "/tmp") async -> (Int32, [TransferSpec], TestWorld) {
        let test = TestWorld()
        let status = await Program(world: test.world(directory: directory)).run(words + ["--detach"])
        return (status, test.service.state.withLock { $0.submitted }, test)
    }

    @Test func commonOptionsReachTheTransfer() async throws {
        let words = [
            "download", "http://host.example/a", "-H", "X-A:  b ", "-u", "me:pw", "--limit-rate", "2k", "--retry", "0",
            "--max-time", "2h", "--priority", "-3", "--group", "g", "--key", "k", "--if-key-exists", "replace",
            "--not-before", "+10m", "-k", "--give-up-after", "90", "--proxy", "http://p:1/",
            "--response-timeout", "75", "--stall-timeout", "0",
        ]
        let spec = try #require(await submitted(words).1.first)
        #expect(spec.headers[0] == HeaderField("X-A", "b"))
        #expect(spec.headers[1] == HeaderField("Authorization", "Basic bWU6cHc=", isSecret: true))
        #expect(spec.options.rateLimit == 2_048 && spec.options.retryLimit == 0 && spec.options.priority == -3)
        #expect(spec.options.timeoutIntervalForResource == .seconds(7_200))
        #expect(spec.options.progressTimeout == .seconds(90))
        #expect(spec.network.timeoutIntervalForResponse == .seconds(75))
        #expect(spec.network.timeoutIntervalForRequest == .zero)
        #expect(spec.options.key == "k" && spec.options.keyConflict == .replace && spec.options.group == "g")
        #expect(spec.options.earliestBeginDate == start + .seconds(600))
        #expect(spec.network.allowsUntrustedServer && spec.network.proxy == "http://p:1/")
    }

    @Test(arguments: [([], 2), (["--retry", "40"], nil), (["--detach"], nil)] as [([String], Int?)])
    func onlyAWaitingCommandShortensUnknownHosts(words: [String], limit: Int?) async throws {
        let test = TestWorld()
        _ = await Program(world: test.world(directory: "/tmp")).run(["download", "http://host.example/a"] + words)
        let options = try #require(test.service.state.withLock { $0.submitted }.first).options
        #expect(options.unknownHostRetryLimit == limit && options.retryLimit == (words.contains("40") ? 40 : 10))
    }

    @Test func equalOrderJoinsUnlessForced() async throws {
        for (words, date) in [
            (["download", "http://h/"], start), (["download", "--again", "http://h/"], nil),
            (["upload", "/x/a", "http://h/a"], start), (["request", "http://h/"], nil),
        ] as [([String], WallTime?)] {
            #expect(try #require(await submitted(words).1.first).options.joinsEqualBefore == date, "\(words)")
        }
        let test = TestWorld(ScriptedService { $0.answer = { _, _ in .existing(id(7)) } })
        #expect(await test.run("download", "-b", "-d", "/tmp", "http://h/a") == 0)
        #expect(test.printedLines == [id(7).description])
        #expect(test.said.contains("00000007 is the same transfer and is active already. --again starts another copy."))
    }

    /// An equal command, started at the same time, finishes between this command's steps.
    @Test func fileOfAnEqualCommandIsJoinedByKey() async throws {
        let scratch = Scratch()
        let file = scratch.path + "/f"
        let words = ["download", "--key", "k", "-o", file, "http://h.example/a", "-b"]
        let test = TestWorld(
            ScriptedService { state in
                state.answer = { _, _ in .existing(id(7)) }
                state.afterList = { state in
                    try? LocalFiles.write([1], to: file, overwrites: false)
                    state.transfers = [snapshot(7, .succeeded)]
                }
            })
        #expect(await test.run(list: words) == 0, "\(test.said)")
        try scratch.write("1", to: "f")
        test.service.state.withLock { $0.transfers = [snapshot(7, .succeeded)] }
        #expect(await test.run(list: words) == 0, "\(test.said)")
        test.service.state.withLock { $0.afterList = { _ in } }
        test.service.state.withLock { $0.transfers = [] }
        #expect(await test.run(list: words) == 3 && test.said.contains("already exists"), "\(test.said)")
    }

    @Test(arguments: [
        ("sha-256=", 32, Digest.Algorithm.sha256), ("SHA-512=", 64, .sha512), ("sha1=", 20, .sha1), ("md5=", 16, .md5),
    ])
    func aChecksumOfEachKindIsTaken(prefix: String, count: Int, algorithm: Digest.Algorithm) async throws {
        let hex = String(repeating: "0a", count: count)
        let spec = try #require(await submitted(["download", "http://h/", "--checksum", prefix + hex]).1.first)
        guard case .download(let download) = spec.work else { throw TransferFailure.noHost }
        #expect(download.expectedDigest == Digest(algorithm: algorithm, hexadecimal: hex))
    }

    @Test func inputListSetsConnectionsAndRatePerURL() async throws {
        let scratch = Scratch()
        try scratch.write("http://h/a\n split=3\n max-download-limit=1k\nhttp://h/b\n", to: "list")
        let specs = await submitted(
            ["download", "-i", "list", "--split", "2", "--limit-rate", "7"], directory: scratch.path
        ).1
        #expect(specs.map(\.options.segments) == [3, 2] && specs.map(\.options.rateLimit) == [1_024, 7])
    }

    @Test func missingFileToResumeIsNamed() async throws {
        let (status, specs, test) = await submitted(["download", "-c", "nothere", "http://h/a"])
        #expect(status == 2 && specs.isEmpty)
        #expect(
            test.said.contains(
                "There is no file \"nothere\" to resume. For cookies, as with curl, type: longhaul http://h/a --cookie-jar nothere"
            ), "\(test.said)")
    }

    @Test func aDirectoryThatIsMissingIsMade() async throws {
        let scratch = Scratch()
        let (status, specs, _) = await submitted(["download", "http://h/", "-d", "new"], directory: scratch.path)
        #expect(status == 0 && specs.count == 1 && scratch.names == ["new"])
        #expect(LocalFiles.isDirectory(scratch.path + "/new"))
    }

    @Test func missingPasswordIsPromptedAndNeverShown() async throws {
        let (_, specs, test) = await submitted(["download", "http://host.example/a", "-u", "me"])
        #expect(specs.first?.headers.first?.value == "Basic " + Base64.encode("me:open sesame".utf8))
        #expect(!test.said.contains("sesame") && !test.printed.contains("sesame"))
    }

    @Test(
        arguments: [
            (["-o", "nosuch/../x.bin"], "/tmp", "x.bin", TransferSpec.Collision.fail),
            (["-o", "/usr/bin/../x.bin"], "/usr/bin/..", "x.bin", .fail),
            (["-d", "/tmp", "-o", "x.bin", "--overwrite"], "/tmp", "x.bin", .overwrite),
            ([], "/tmp", nil, .number), (["-d", "."], "/tmp", nil, .number), (["-o", "/tmp//x"], "/tmp", "x", .fail),
        ] as [([String], String, String?, TransferSpec.Collision)])
    func outputOptionsSelectDirectoryNameAndCollision(
        options: [String], directory: String, name: String?, collision: TransferSpec.Collision
    ) throws {
        let arguments = try Arguments(parsing: options, options: Command.download.options)
        let directoryOption = try #require(Command.download.options.first { $0.long == "directory" })
        let place = try DownloadPlace(
            output: arguments.value(.output), directory: arguments.value(directoryOption),
            overwrites: arguments.has(.overwrite), world: TestWorld().world(directory: "/tmp"))
        #expect(place.directory == directory && place.fileName == name && place.collision == collision)
    }

    @Test func aChosenNameThatIsTakenFailsBeforeAnythingIsSent() async throws {
        let scratch = Scratch()
        try scratch.write("x", to: "taken")
        let (status, specs, _) = await submitted(
            ["download", "http://host.example/a", "-o", "taken"], directory: scratch.path)
        #expect(status == 3 && specs.isEmpty)
    }

    @Test func aListIsSubmittedInBatchesAndItsBadLinesAreNamed() async throws {
        let scratch = Scratch()
        let lines =
            (0..<4_500).map { "http://host.example/\($0)" } + ["ftp://host.example/", "http://host.example/last"]
        try scratch.write(lines.joined(separator: "\n"), to: "list")
        let (status, specs, test) = await submitted(["download", "-i", "list"], directory: scratch.path)
        #expect(status == 2)
        #expect(specs.count == 4_501)
        #expect(test.service.state.withLock { $0.batches } == [2_000, 2_000, 501])
        #expect(test.said.contains("longhaul: list:4501: "))
    }

    @Test func aFileThatTwoLinesNameIsFetchedOnce() async throws {
        let scratch = Scratch()
        let lines = """
            http://host.example/1
              out=one
            ftp://host.example/2
              out=two
            http://host.example/3
              out=./one
            http://host.example/4
              out=two
            """
        try scratch.write(lines, to: "list")
        let (status, specs, test) = await submitted(["download", "-i", "list"], directory: scratch.path)
        #expect(status == 2 && specs.map(\.url) == ["http://host.example/1", "http://host.example/4"])
        #expect(test.said.contains("longhaul: list:5: line 1 also names \(scratch.path)/one. "))
    }

    @Test func unreadableListEntriesAreSkipped() async throws {
        let scratch = Scratch()
        let list =
            "# \u{FFFD}\nhttp://host.example/\u{FFFD}\nhttp://host.example/2\n out=\u{FFFD}\nhttp://host.example/3"
        try scratch.write(list, to: "list")
        let (status, specs, test) = await submitted(["download", "-i", "list"], directory: scratch.path)
        #expect(status == 2 && specs.map(\.url) == ["http://host.example/3"])
        #expect(test.saidLines.count { $0.contains("Save the list as UTF-8") } == 2)
    }

    @Test func aBatchThatIsRefusedHidesNoneThatWasKept() async throws {
        let scratch = Scratch()
        let lines = (0..<4_001).map { "http://host.example/\($0)" }
        try scratch.write(lines.joined(separator: "\n"), to: "list")
        let test = TestWorld(
            ScriptedService { $0.failures[1] = TransferFailure(.storeFailed, "The disk is full.") })
        let status = await test.run("download", "-b", "-i", "list", directory: scratch.path)
        #expect(status != 0)
        #expect(test.said.contains("The disk is full"))
        let printed = test.printedLines.count
        #expect(printed == test.service.state.withLock { $0.submitted.count }, "every accepted transfer is printed")
        #expect(printed == 2_000 || printed == 2_001, "the third batch may be in progress")
    }

    @Test func filesOfACollectionAreAppended() async {
        let (_, specs, _) = await submitted(["upload", "a b.txt", "/x/ü.bin", "http://host.example/in/?v=1"])
        #expect(
            specs.map(\.url) == ["http://host.example/in/a%20b.txt?v=1", "http://host.example/in/%C3%BC.bin?v=1"])
        #expect(specs.map(\.method) == ["PUT", "PUT"])
    }

    @Test func standardInputIsStaged() async throws {
        let (_, specs, _) = await submitted(["upload", "-", "http://host.example/x"])
        guard case .upload(.raw(let source)) = try #require(specs.first).work else { throw TransferFailure.noHost }
        #expect(source.isStaged)
    }

    @Test func aFormIsOnePost() async throws {
        let words = [
            "upload", "-F", "title=a=b", "-F", "photo=@/x/a.jpg;filename=b.jpg", "--form-string", "s=@x",
            "http://host.example/",
        ]
        let spec = try #require(await submitted(words).1.first)
        guard case .upload(.form(_, let parts)) = spec.work else { throw TransferFailure.noHost }
        #expect(spec.method == "POST" && parts.map(\.name) == ["title", "photo", "s"])
        #expect(parts[0].content == .text("a=b") && parts[2].content == .text("@x"))
        guard case .file(_, "b.jpg", "image/jpeg") = parts[1].content else { throw TransferFailure.noHost }
    }

    @Test func tusAlwaysSendsNameAndType() async throws {
        let (_, specs, _) = await submitted([
            "upload", "--tus", "--metadata", "a=b", "/x/v.mp4", "http://host.example/files",
        ])
        guard case .upload(.tus(_, let pairs)) = try #require(specs.first).work else { throw TransferFailure.noHost }
        #expect(
            pairs == [
                MetadataPair(key: "a", value: "b"), MetadataPair(key: "filename", value: "v.mp4"),
                MetadataPair(key: "filetype", value: "video/mp4"),
            ])
    }

    @Test(
        arguments: [
            (["download"], 2), (["download", "ftp://h/x"], 2), (["download", "http://h/", "http://i/", "-o", "x"], 2),
            (["download", "http://h/", "-d", "/proc/nonexistent"], 3),
            (["download", "http://h/", "--sha256", "12"], 2),
            (["download", "http://h/", "--checksum", "sha-256"], 2),
            (["download", "http://h/", "--checksum", "x=1"], 2),
            (["download", "http://h/", "--netrc", "-u", "a:b"], 2),
            (["download", "http://h/", "-o", "-"], 2), (["download", "http://h/", "--retry", "many"], 2),
            (["upload", "http://h/"], 2), (["upload", "missing", "http://h/"], 3),
            (["upload", "a", "b", "http://h/x"], 2),
            (["upload", "-", "http://h/"], 2), (["upload", "--tus", "-F", "a=b", "http://h/"], 2),
            (["upload", "--tus", "-", "-", "http://h/"], 2),
            (["request"], 2), (["request", "get", "http://h/"], 2),
            (["download", "http://h/", "-H", "Bad Name: x"], 2),
            (["download", "http://h/", "--session", "../x"], 2), (["download", "http://h/", "-H", "X: a\r\nY: b"], 2),
            (["download", "http://h/", "-o", "/dev/null"], 2),
            (["download", "http://h/", "-o", "/dev/null", "--overwrite"], 2),
            (["download", "http://h/", "-o", "a", "-o", "b"], 2), (["download", "-i", "a", "-i", "b"], 2),
            (["download", "http://h/", "-o", "/tmp/" + String(repeating: "x", count: 256)], 2),
            (["download", "-i", "/dev/null"], 2), (["download", "http://h/", "--if-key-exists", "replace"], 2),
            (["request", "http://h/", "-d", "a", "-d", "b"], 2), (["upload", "/etc/passwd"], 2),
            (["https://ada:s3cret@h:port/"], 2), (["nosuch.meta4"], 3),
            (["download", "http://h/", "--cacert", "/nonexistent"], 3),
            (["download", "http://h/", "--proxy", "ftp://ada:s3cret@p"], 2),
            (["download", "http://h/", "--proxy", ":::"], 2),
            (["download", "http://h/", "--proxy", "http://:3128"], 2),
            (["download", "http://h/", "--proxy", "ada:s3cret@"], 2),
            (["download", "http://h/", "--proxy", "p:99999"], 2),
            (["download", "http://h/", "--proxy=none"], 2),
        ] as [([String], Int32)])
    func impossibleOrderFailsImmediately(words: [String], status: Int32) async {
        let (number, specs, test) = await submitted(words)
        #expect(number == status && specs.isEmpty)
        #expect(test.saidLines.count == 1 && test.said.hasPrefix("longhaul: ") && !test.said.contains("s3cret"))
    }

    @Test func invalidURLIsReportedByPositionWithoutSecret() async {
        let (_, specs, test) = await submitted(["download", "http://h/", "ada:s3cret@h", "http://i/"])
        #expect(specs.isEmpty && test.said.contains("URL 2 of 3: ") && !test.said.contains("s3cret"))
    }

    @Test(arguments: [("status", "list"), ("fetch", "download"), ("downlaod", "download")])
    func foreignCommandNameSuggestsOwn(word: String, meant: String) async {
        let (status, _, test) = await submitted([word])
        #expect(status == 2 && test.said.contains("Did you mean this? longhaul \(meant)"))
    }

    @Test(arguments: ["/tmp", "/etc/passwd", "/nonexistent/x"])
    func requestWithUnusableOutputIsNotSubmitted(output: String) async {
        let test = TestWorld()
        #expect(await test.run("request", "POST", "http://h/", "-o", output) == 3)
        #expect(test.service.state.withLock { $0.submitted.isEmpty } && test.saidLines.count == 1)
    }

    @Test(arguments: [
        ("--speed", "There is no option --speed."), ("--ouput", "There is no option --ouput. Did you mean --output?"),
        ("--trace-ascii", "Longhaul shows the headers of requests and responses with -v."),
    ])
    func unknownOptionIsExplained(option: String, sentence: String) async {
        let (status, _, test) = await submitted(["download", option, "http://h/"])
        #expect(status == 2 && test.said.contains(sentence), "\(test.said)")
    }

    @Test func aWordThatIsNotUTF8IsNoOtherWord() async {
        let test = TestWorld()
        #expect(await Program(world: test.world()).run(["upload", nil, "http://h/"]) == 2)
        #expect(test.said.contains("Argument 2 is not UTF-8"))
        #expect(test.service.state.withLock { $0.submitted.isEmpty })
    }

    @Test func anErrorWithJSONIsAnObject() async {
        let test = TestWorld()
        #expect(await test.run("download", "--json", "ftp://h/x") == 2)
        #expect(test.printed.hasPrefix(#"{"code":"unsupportedScheme","message":""#) && test.said.isEmpty)
    }
}
