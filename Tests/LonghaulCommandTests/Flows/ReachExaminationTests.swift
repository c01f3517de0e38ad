import Glibc
import LonghaulCore
import LonghaulIPC
import TestSupport
import Testing

@testable import LonghaulCommand
import LonghaulSystem

@Suite struct ReachExaminationTests {
    private let place: TemporaryDirectory
    private let paths: LonghaulPaths
    private let environment: [String: String]

    init() throws {
        place = try TemporaryDirectory()
        try place.makeDirectory("run")
        environment = ["HOME": place.path, "XDG_STATE_HOME": place.path, "XDG_RUNTIME_DIR": place.path("run")]
        paths = try LonghaulPaths(environment: environment)
    }

    private func findings(_ changes: [String: String] = [:]) -> [Finding] {
        ReachExamination(environment: environment.merging(changes) { $1 }, paths: paths).findings()
    }

    @Test func aServiceThatListensIsFound() throws {
        try paths.prepareStateDirectory()
        let listener = try UnixSocket.listen(path: paths.socket)
        #expect(findings() == [Finding("socket", .ok, "The service listens at \(paths.socket).")])
        chmod(paths.socket, 0o666)
        let open = try #require(findings().first)
        #expect(open.verdict == .fail && open.remedy == "Run: chmod 600 \(paths.socket)")
        withExtendedLifetime(listener) {}
    }

    @Test func killedServiceSocketIsNoFailure() throws {
        try paths.prepareStateDirectory()
        #expect(findings() == [Finding("socket", .ok, "The service creates \(paths.socket) when it starts.")])
        _ = try UnixSocket.listen(path: paths.socket)
        #expect(findings().map(\.verdict) == [.note])
    }

    @Test func aServiceThatKeepsTheTransfersAndDoesNotListenIsNamed() async throws {
        try paths.prepareStateDirectory()
        // Another process: the examination must not see its own process's lock.
        let script =
            "import fcntl,signal,sys;f=open(sys.argv[1],'w');fcntl.lockf(f,fcntl.LOCK_EX);print('has it',flush=True);signal.pause()"
        let holder = try ChildProcess(ProgramCall("/usr/bin/python3", ["-c", script, paths.lock]))
        try await holder.waitForOutput(containing: "has it")
        try place.write(Array("4711 elsewhere\n".utf8), to: "longhaul/service.lock")
        let finding = try #require(findings().first)
        #expect(finding.verdict == .fail)
        #expect(finding.message.hasPrefix("Another longhauld process is using \(paths.stateDirectory)"))
        #expect(finding.remedy == "To end it, on elsewhere run: kill 4711")
        holder.signal(SIGKILL)
        _ = try await holder.waitForEnd()
    }

    @Test func nonSocketMustBeRemoved() throws {
        try paths.prepareStateDirectory()
        try place.write([], to: "longhaul/socket")
        #expect(
            findings() == [
                Finding("socket", .fail, "\(paths.socket) is not a socket.", remedy: "Run: rm -r \(paths.socket)")
            ])
    }

    @Test(.enabled(if: getuid() == 0, "only root can give a file away"))
    func aSocketOfAnotherUserIsAFailure() throws {
        try paths.prepareStateDirectory()
        _ = try UnixSocket.listen(path: paths.socket)
        chown(paths.socket, 12_345, 12_345)
        #expect(findings().first?.message == "\(paths.socket) belongs to another user.")
    }

    @Test func aRuntimeDirectoryThatIsNotTheUsersIsNoted() {
        let finding = findings(["XDG_RUNTIME_DIR": place.path("none")]).last
        #expect(finding?.check == "runtime" && finding?.verdict == .note)
    }

    @Test func missingSystemdSocketIsReportedWithRemedy() throws {
        for directory in [".config", ".config/systemd", ".config/systemd/user", "run/systemd"] {
            try place.makeDirectory(directory)
        }
        try place.makeDirectory(".config/systemd/user/default.target.wants")
        try place.write([], to: ".config/systemd/user/default.target.wants/longhaul.service")
        #expect(findings().isEmpty, "no systemd runs")
        try place.write([], to: "run/systemd/private")
        #expect(findings().map(\.remedy) == ["Run: systemctl --user restart longhaul.socket"])
        try place.makeDirectory("run/longhaul")
        let socket = try UnixSocket.listen(path: place.path("run/longhaul/socket"))
        #expect(findings().isEmpty)
        withExtendedLifetime(socket) {}
    }

    @Test func transfersAfterLogoutAreExplained() {
        func message(_ units: LogoutExamination.Units, lingers: Bool, hasSystemd: Bool = true) -> Finding {
            LogoutExamination(user: "ada", hasSystemd: hasSystemd, lingers: lingers, units: units).finding
        }
        #expect(
            message(.enabled, lingers: true)
                == Finding("logout", .ok, "Transfers continue after logout and start at boot."))
        #expect(message(.enabled, lingers: false).message.hasSuffix("continue at the next login."))
        #expect(message(.installed, lingers: false).message.hasSuffix("continue with the next command."))
        #expect(message(.installed, lingers: true).remedy == "Run longhaul setup.")
        #expect(message(.missing, lingers: false).message.contains("KillUserProcesses"))
        #expect(message(.missing, lingers: true, hasSystemd: false).remedy?.contains("@reboot") == true)
    }
}
