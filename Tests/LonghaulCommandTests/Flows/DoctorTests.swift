import Glibc
import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import Synchronization
import Testing

@testable import LonghaulCommand

@Suite struct DoctorTests {
    @Test func stoppedServiceIsNoFailure() async throws {
        let test = TestWorld()
        let world = test.world(failingConnections: 0..<1)
        let findings = await Doctor(world: world, session: .commandLine).examine()
        #expect(
            findings.last
                == Finding("service", .note, "longhauld is not running.", remedy: "The first transfer starts it."))
        #expect(Doctor.examine(try await test.service.status()).map(\.verdict) == [.ok, .ok, .ok])
    }

    @Test func doctorReportsWhetherLibcurlIsBypassed() {
        let both = LibcurlExamination.paths(DirectPaths(libcurl: "8.14.1", choice: nil), past: "8.14.1")
        #expect(
            both.verdict == .ok
                && both.message.contains("received and sent without libcurl (tested with libcurl 8.14.1)"))
        let chosen = LibcurlExamination.paths(DirectPaths(libcurl: "8.14.1", choice: "plain"), past: "8.14.1")
        #expect(chosen.verdict == .note && chosen.message.contains("LONGHAUL_PATHS=plain"))
        let unknown = LibcurlExamination.paths(DirectPaths(libcurl: "9.0.0", choice: nil), past: "9.0.0")
        #expect(unknown.verdict == .note && unknown.message.contains("libcurl 9.0.0, which was not tested"))
    }

    @Test func http3SupportIsReportedWithRemedy() {
        let with = LibcurlExamination.http3(true, in: "8.14.1")
        #expect(with.verdict == .ok && with.message.contains("libcurl 8.14.1 supports HTTP/3"))
        let without = LibcurlExamination.http3(false, in: "7.88.1")
        #expect(without.verdict == .note && without.message.contains("libcurl 7.88.1 does not support HTTP/3"))
        #expect(without.remedy?.contains("libcurl4-gnutls-dev") == true)
    }

    @Test(arguments: [("7.88.1", true), ("8.0.1", true), ("8.1.0", false), ("8.14.1", false), ("unknown", false)])
    func libcurlThatCorruptsUploadsIsNamed(version: String, isNamed: Bool) {
        let findings = LibcurlExamination.http2(in: version)
        #expect(findings.map(\.message).contains { $0.contains("libcurl \(version) can corrupt") } == isNamed)
    }

    @Test func theLibcurlIsThatWhichTheServiceWasBuiltWith() throws {
        #expect(LibcurlExamination.name(among: NeededLibraries(of: "/proc/self/exe").names) == "libcurl.so.4")
        #expect(LibcurlExamination.name(among: ["libc.so.6", "libcurl-gnutls.so.4"]) == "libcurl-gnutls.so.4")
        #expect(LibcurlExamination.name(among: []) == "libcurl.so.4")
    }

    @Test func damagedProgramNeedsNoLibraries() throws {
        let scratch = Scratch()
        let program = try LocalFiles.read(LocalFiles.open("/bin/ls"), limit: 1 << 20, name: "ls")
        for damage in [[], Array(program.prefix(100)), Array(repeating: 0xFF, count: 5_000)] {
            try LocalFiles.write(damage, to: scratch.path + "/damaged", overwrites: true)
            #expect(NeededLibraries(of: scratch.path + "/damaged").names.isEmpty)
        }
        // A valid ELF header before invalid data.
        try LocalFiles.write(
            program.prefix(32) + Array(repeating: 0xFF, count: 4_000), to: scratch.path + "/damaged", overwrites: true)
        #expect(NeededLibraries(of: scratch.path + "/damaged").names.isEmpty)
        #expect(NeededLibraries(of: scratch.path + "/none").names.isEmpty)
        #expect(NeededLibraries(of: "/bin/ls").names.contains("libc.so.6"))
    }

    @Test func theLibcurlOfAServiceToBeStartedIsExamined() async {
        var world = TestWorld().world(failingConnections: 0..<1)
        world.environment[DirectPaths.variable] = "plain"
        let findings = await Doctor(world: world, session: .commandLine).examine()
        #expect(findings.first { $0.check == "paths" }?.message.contains("LONGHAUL_PATHS=plain") == true)
        #expect(findings.contains { $0.check == "http3" })
    }

    @Test func aServiceThatCannotBeStartedIsAFailure() async {
        let test = TestWorld()
        test.program.withLock { $0 = nil }
        let world = test.world(failingConnections: 0..<1)
        let findings = await Doctor(world: world, session: .commandLine).examine()
        #expect(findings.last == Finding("service", .fail, "longhauld is not installed."))
    }

    @Test func aPlaceWhereNoDirectoryCanBeMadeIsAFailure() throws {
        var world = TestWorld().world()
        // Its mode does not stop root, but no directory can be created there.
        world.environment = ["XDG_STATE_HOME": "/proc", "XDG_RUNTIME_DIR": "/proc/none"]
        let findings = SystemExamination(world: world).findings()
        let state = try #require(findings.first { $0.check == "state" })
        #expect(state.verdict == .fail && state.message.hasPrefix("Could not create /proc/longhaul: "))
        #expect(state.remedy?.contains("XDG_STATE_HOME") ?? false)
        #expect(!findings.contains { $0.check == "disk" }, "it is no disk, and to free space there is no remedy")
    }

    @Test func aPlaceIsTriedWithoutATrace() {
        let scratch = Scratch()
        var world = TestWorld().world()
        world.environment = ["XDG_STATE_HOME": scratch.path + "/new", "XDG_RUNTIME_DIR": scratch.path]
        let findings = SystemExamination(world: world).findings()
        #expect(findings.filter { ["state", "socket"].contains($0.check) }.map(\.verdict) == [.ok])
        #expect(scratch.names.isEmpty)
    }

    /// A symbolic link to itself refuses access even to root, as an immutable file does.
    @Test(arguments: ["settings", "sessions/org.example.films/store.sqlite-wal"])
    func filesThatRefuseWritesAreFailures(name: String) throws {
        let scratch = Scratch()
        let file = scratch.path + "/longhaul/" + name
        try Directory.make(Directory.of(file))
        #expect(symlink(file, file) == 0)
        var world = TestWorld().world()
        world.environment = ["XDG_STATE_HOME": scratch.path, "XDG_RUNTIME_DIR": scratch.path]
        let findings = SystemExamination(world: world).findings().filter { $0.message.hasPrefix(file) }
        #expect(findings.map(\.verdict) == [.fail])
        #expect(findings.first?.remedy?.contains("lsattr") == true)
    }

    @Test func disagreeingFilesAreWarnings() async throws {
        let report = ReconcileReport(
            checked: 3,
            findings: [
                ReconcileFinding(.partialLeftOver, transfer: id(1), path: "/files/a"),
                ReconcileFinding(.fileChanged, transfer: id(2), path: "/files/\u{1B}b"),
            ], omitted: 4)
        let test = TestWorld(ScriptedService { $0.reconciled = report })
        let findings = await Doctor(world: test.world(), session: .commandLine).examine().filter { $0.check == "files" }
        #expect(findings.map(\.verdict) == [.ok, .note, .warn], "a user may replace a finished file")
        #expect(findings.map(\.code) == ["partialLeftOver", "fileChanged", nil])
        #expect(findings.last?.line.hasSuffix("More findings of this kind: 4.") ?? false)
        #expect(!findings.contains { $0.line.contains("\u{1B}") })
        let agreed = Doctor.examine(ReconcileReport(checked: 3), of: .commandLine)
        #expect(agreed == [Finding("files", .ok, "3 transfers agree with their files.")])
        let alone = Doctor.examine(ReconcileReport(checked: 1), of: .commandLine)
        #expect(alone == [Finding("files", .ok, "1 transfer agrees with its file.")])
    }

    @Test func partialFilesOfOtherSessionsAreNotReported() async throws {
        let other = try #require(SessionID("org.example.Photos"))
        let report = ReconcileReport(
            checked: 1,
            findings: (1...3).map { ReconcileFinding(.partialForeign, transfer: id($0), path: "/files/\($0)") })
        let test = TestWorld(
            ScriptedService { state in
                state.reconciled = report
                state.sessions = [.commandLine, other].map { session in
                    SessionSummary(id: session, trouble: nil, totals: SessionTotals())
                }
                state.transfers = [snapshot(1)]
                state.elsewhere[other] = [snapshot(2), snapshot(3)]
            })
        func files() async -> [Finding] {
            await Doctor(world: test.world(), session: .commandLine).examine().filter { $0.check == "files" }
        }
        let findings = await files()
        #expect(findings.map(\.verdict) == [.warn] && findings.first?.message.contains("/files/1 ") == true)
        test.service.state.withLock { _ = $0.reconciled.findings.removeFirst() }
        #expect(await files() == [Finding("files", .ok, "1 transfer agrees with its file.")])
    }

    @Test func finishedDownloadsThatWereTidiedAwayAreNotedOnce() {
        let tidied = (1...3).map { ReconcileFinding(.fileMissing, transfer: id($0), path: "/files/\($0)") }
        let lost = ReconcileFinding(.partialMissing, transfer: id(9), path: "/files/part")
        let findings = Doctor.examine(
            ReconcileReport(checked: 9, findings: [lost] + tidied, omitted: 2), of: .commandLine)
        #expect(findings.map(\.verdict) == [.warn, .note])
        #expect(
            findings.last?.line
                == "note  files             5 finished downloads are no longer where they were saved. To forget them, run longhaul remove ID."
        )
        let one = Doctor.examine(ReconcileReport(checked: 1, findings: [tidied[0]]), of: .commandLine)
        #expect(one.map(\.message) == ["1 finished download is no longer where it was saved."])
    }
}
