import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

/// The screens of the command in English and Korean, compared with the files in `Captures`.
struct CaptureTests {
    private static let sizes = [Console.Size(columns: 80, rows: 24), Console.Size(columns: 120, rows: 40)]

    /// A language, and the ending of its captures.
    enum CaptureLanguage: String, CaseIterable, Sendable {
        case english = ""
        case korean = ".ko"

        fileprivate func catalogue() throws -> Catalogue? { self == .korean ? try HelpTextTests.korean() : nil }
    }

    /// Runs a command on a terminal of this size, or in a pipe, and returns its output.
    private func run(
        _ words: [String], _ size: Console.Size?, _ tongue: CaptureLanguage = .english, _ test: TestWorld? = nil
    ) async throws -> String {
        let service = ScriptedService {
            $0.transfers = CapturedTransfers.all
            for detail in [CapturedTransfers.upload, CapturedTransfers.retried] {
                $0.details[detail.snapshot.id] = detail
            }
        }
        let test = test ?? TestWorld(service)
        let catalogue = try tongue.catalogue()
        var world = test.world()
        world.catalogue = { catalogue }
        if let size {
            world.console.isOutputTerminal = true
            world.console.canRedraw = true
            world.console.size = { size }
        }
        #expect(await Program(world: world).run(words) == 0)
        return test.printed + test.said
    }

    private func expect(
        _ text: String, matches name: String, _ size: Console.Size, _ tongue: CaptureLanguage,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let name = "\(name)-\(size.columns)\(tongue.rawValue)"
        try Capture.expect(text, matches: name, columns: size.columns, at: location)
        guard tongue == .korean else { return }
        let foreign = Self.foreignWords(in: text)
        #expect(foreign.isEmpty, "\(name) has words that are not Korean", sourceLocation: location)
    }

    /// The words of a Korean screen that are neither Korean, nor input, nor data.
    private static func foreignWords(in text: String) -> [Substring] {
        let commands = Command.all.flatMap { [$0.name] + $0.options.map(\.long) }
        let data = CapturedTransfers.all.flatMap { [$0.name, $0.url, $0.path ?? "", String($0.host)] }.joined(
            separator: " ")
        let known = """
            Longhaul longhaul longhauld libcurl top json secret GET PUT Authorization Content Type Location Retry After URL ID
            RATE KiB MiB GiB Ctrl Page Up Down Home End Enter suspend ok note warn fail failed network queue socket systemctl loginctl
            enable linger now id ca
            """.split { $0.isWhitespace }
        return text.replacing(/\b[0-9a-f]{8}\b/, with: "").split { !$0.isASCII || !$0.isLetter }.filter { word in
            word.count > 1 && !known.contains(word) && !data.contains(word)
                && !commands.contains { $0.split(separator: "-").contains(word) }
        }
    }

    @Test(arguments: sizes, CaptureLanguage.allCases) func list(_ size: Console.Size, _ tongue: CaptureLanguage)
        async throws
    {
        try expect(await run(["list"], size, tongue), matches: "list", size, tongue)
    }

    @Test func listInPipe() async throws {
        try Capture.expect(await run(["list"], nil), matches: "list-pipe")
    }

    @Test(arguments: CaptureLanguage.allCases) func listAfterBatch(_ tongue: CaptureLanguage) async throws {
        let test = TestWorld(ScriptedService { $0.transfers = CapturedTransfers.batch })
        let shown = try await run(["list"], Self.sizes[0], tongue, test)
        // The prompt of the shell takes the last row.
        #expect(shown.split(separator: "\n", omittingEmptySubsequences: false).count <= Self.sizes[0].rows)
        try expect(shown, matches: "list-batch", Self.sizes[0], tongue)
    }

    @Test func listOfAll() async throws {
        let size = Self.sizes[0]
        try expect(await run(["list", "--all"], size), matches: "list-all", size, .english)
    }

    @Test(arguments: sizes, CaptureLanguage.allCases) func show(_ size: Console.Size, _ tongue: CaptureLanguage)
        async throws
    {
        for (name, id) in [
            ("upload", CapturedTransfers.upload.snapshot.id), ("retry", CapturedTransfers.retried.snapshot.id),
        ] {
            try expect(await run(["show", id.description], size, tongue), matches: "show-\(name)", size, tongue)
        }
    }

    @Test(arguments: sizes, CaptureLanguage.allCases) func doctor(_ size: Console.Size, _ tongue: CaptureLanguage)
        async throws
    {
        let id = CapturedTransfers.retried.snapshot.id.description
        try expect(await run(["doctor", id], size, tongue), matches: "doctor-retry", size, tongue)
        let service = ScriptedService { state in
            state.transfers = CapturedTransfers.all
            state.limits.chosenPerHost = 2
        }
        let world = TestWorld(service).world()
        let lines = try await Language.$catalogue.withValue(tongue.catalogue()) {
            // The other findings depend on the machine.
            await Doctor(world: world, session: .commandLine).examine().filter { finding in
                ["service", "files", "network", "limits", "rules", "queue", "failed"].contains(finding.check)
            }.flatMap { Prose.wrapped($0.line, columns: size.columns, indent: Finding.indent) }
        }
        try expect(text(lines), matches: "doctor", size, tongue)
    }

    @Test(arguments: sizes, CaptureLanguage.allCases) func setup(_ size: Console.Size, _ tongue: CaptureLanguage)
        async throws
    {
        let test = TestWorld()
        test.logout.withLock {
            $0 = LogoutExamination(user: "ada", hasSystemd: true, lingers: false, units: .installed)
        }
        try expect(await run(["setup"], size, tongue, test), matches: "setup", size, tongue)
    }

    @Test(arguments: sizes, CaptureLanguage.allCases) func watch(_ size: Console.Size, _ tongue: CaptureLanguage) throws
    {
        var book = WatchedTransfers(followsNew: true)
        for transfer in CapturedTransfers.all { _ = book.apply(transfer) }
        let lines = try Language.$catalogue.withValue(tongue.catalogue()) {
            ProgressView(session: .commandLine, size: size).lines(book, now: start)
        }
        try expect(text(lines), matches: "watch", size, tongue)
    }

    @Test(arguments: CaptureLanguage.allCases) func ended(_ tongue: CaptureLanguage) throws {
        let lines = try Language.$catalogue.withValue(tongue.catalogue()) {
            CapturedTransfers.all.filter(\.state.isEnded).map { ReportText.ended($0, in: .commandLine) }
        }
        try Capture.expect(text(lines), matches: "ended" + tongue.rawValue)
    }

    @Test(arguments: sizes, CaptureLanguage.allCases) func top(_ size: Console.Size, _ tongue: CaptureLanguage) throws {
        try Language.$catalogue.withValue(tongue.catalogue()) {
            var state = TopState(session: .commandLine, size: size)
            let live = CapturedTransfers.all.filter { !$0.state.isEnded }
            let list = WatchUpdate(changed: live, removed: [], beginsList: true, completesList: true)
            _ = state.handle(.update(list), now: start)
            var totals = SessionTotals()
            (totals.running, totals.waiting, totals.paused) = (4, 6, 1)
            (totals.succeeded, totals.failed, totals.cancelled) = (3, 1, 1)
            let page = ListPage(transfers: [], hasMore: false, totals: totals, rate: 13 << 20)
            _ = state.handle(.page(page), now: start)
            _ = state.handle(.ended(CapturedTransfers.all.filter(\.state.isEnded)), now: start)
            try expect(text(TopView.screen(&state, now: start).lines), matches: "top", size, tongue)
            state.mode = .help
            try expect(text(TopView.screen(&state, now: start).lines), matches: "top-keys", size, tongue)
        }
    }

    @Test(arguments: CaptureLanguage.allCases) func topAfterBatch(_ tongue: CaptureLanguage) throws {
        try Language.$catalogue.withValue(tongue.catalogue()) {
            var state = TopState(session: .commandLine, size: Self.sizes[0])
            let live = CapturedTransfers.batch.filter { !$0.state.isEnded }
            let list = WatchUpdate(changed: live, removed: [], beginsList: true, completesList: true)
            _ = state.handle(.update(list), now: start)
            var totals = SessionTotals()
            (totals.running, totals.succeeded, totals.failed) = (1, 197, 3)
            let page = ListPage(transfers: [], hasMore: false, totals: totals, rate: 4 << 20)
            _ = state.handle(.page(page), now: start)
            _ = state.handle(.ended(CapturedTransfers.batch.filter(\.state.isEnded)), now: start)
            try expect(text(TopView.screen(&state, now: start).lines), matches: "top-batch", Self.sizes[0], tongue)
        }
    }

    private func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }
}
