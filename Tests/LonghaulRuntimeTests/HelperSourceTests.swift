import Glibc
import LonghaulCore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Real processes: scripts, and git's own helper if git is installed.
@Suite struct HelperSourceTests {
    private let directory: TemporaryDirectory
    private let request = CredentialRequest(
        name: CredentialName("photos")!, kind: .authorization, url: "https://example.org/", userName: "ada")

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func script(_ text: String, milliseconds: Int32 = 60_000) -> HelperSource {
        HelperSource(command: ["/bin/sh", "-c", text, "helper"], milliseconds: milliseconds)
    }

    private func query(_ source: HelperSource) async -> CredentialAnswer {
        await withCheckedContinuation { continuation in
            source.query(CredentialQuestion(number: 1, request: request)) { continuation.resume(returning: $0) }
        }
    }

    private func trouble(_ source: HelperSource) async -> String {
        guard case .none(.helperFailed(let how)) = await query(source) else { return "" }
        return how
    }

    /// Returns whether the process is running; a zombie is not.
    private func isAlive(_ pid: Int32) -> Bool {
        guard let file = fopen("/proc/\(pid)/stat", "r") else { return false }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 512)
        guard fgets(&line, Int32(line.count), file) != nil else { return false }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return !text.contains(") Z ")
    }

    @Test func helperOutputIsTheAnswer() async {
        let answer = await query(script("[ \"$1\" = get ] && echo username=ada && echo password=x"))
        #expect(answer == .given(.basic(userName: "ada", password: "x"), expiresAt: nil, isHelpers: true))
    }

    @Test func helperRunsInCleanSession() async throws {
        let list = directory.path("list")
        let answer = await query(
            script(
                "p=$(cut -d' ' -f6 /proc/$$/stat); ls /proc/$$/fd > \(list); echo username=$([ $p = $$ ] && echo own); "
                    + "echo password=$(wc -l < \(list))$GIT_TERMINAL_PROMPT"))
        guard case .given(.basic(let session, let open), _, _) = answer else { return #expect(Bool(false)) }
        #expect(session == "own")
        // 0, 1, 2, and the descriptor that the shell keeps for the redirection; then the value that keeps git from prompting on a
        // terminal.
        #expect(open == "40")
    }

    @Test func slowHelperIsKilledWithItsGroup() async throws {
        let mark = directory.path("pid")
        let how = await trouble(script("sleep 1000 & echo $! > \(mark); wait", milliseconds: 300))
        #expect(how.contains("took longer"))
        let pid = try #require(
            Int32(String(decoding: try directory.read("pid"), as: UTF8.self).split(separator: "\n")[0]))
        while isAlive(pid) { await Task.yield() }
    }

    @Test func verboseHelperIsKilled() async {
        #expect(await trouble(script("yes username=ada")).contains("more than"))
    }

    @Test func helperFailureOmitsHelperOutput() async {
        let how = await trouble(script("echo password=s3cret; echo s3cret >&2; exit 3"))
        #expect(how.contains("status 3") && !how.contains("s3cret"))
        #expect(await trouble(HelperSource(command: ["/nowhere/helper"])).contains("could not run it"))
    }

    @Test func backgroundChildIsNotAwaited() async {
        let answer = await query(script("sleep 2 & echo username=a; echo password=b"))
        #expect(answer == .given(.basic(userName: "a", password: "b"), expiresAt: nil, isHelpers: true))
    }

    @Test func anEraseIsOverBeforeTheNextQuestion() async {
        let source = script(
            "case $1 in erase) sleep 0.2; touch \(directory.path("erased"));; "
                + "get) echo username=a; [ -e \(directory.path("erased")) ] && echo password=new || echo password=old;; esac"
        )
        source.report(.rejected, .basic(userName: "a", password: "old"), for: request)
        #expect(await query(source) == .given(.basic(userName: "a", password: "new"), expiresAt: nil, isHelpers: true))
    }

    @Test(.enabled(if: access("/usr/bin/git", X_OK) == 0, "git is not installed"))
    func gitsOwnHelperCanBeUsed() async throws {
        let file = directory.path("credentials")
        try directory.write(
            Array("https://ada:pa%3Ass@example.org\nhttps://eve:no@other.org\n".utf8), to: "credentials")
        let source = HelperSource(command: ["git", "credential-store", "--file", file])
        #expect(
            await query(source) == .given(.basic(userName: "ada", password: "pa:ss"), expiresAt: nil, isHelpers: true))
        source.report(.rejected, .basic(userName: "ada", password: "pa:ss"), for: request)
        #expect(await query(source) == .none(.helperHasNone))
        source.report(.approved, .basic(userName: "ada", password: "new"), for: request)
        #expect(
            await query(source) == .given(.basic(userName: "ada", password: "new"), expiresAt: nil, isHelpers: true))
    }

    @Test func aLineForTheShellGetsTheAction() async {
        let source = HelperSource(command: HelperSource.shellCommand("printf 'username=%s\\npassword=b\\n'"))
        #expect(await query(source) == .given(.basic(userName: "get", password: "b"), expiresAt: nil, isHelpers: true))
        #expect(HelperSource.shellCommand(nil).isEmpty && HelperSource.shellCommand("").isEmpty)
    }
}
