import Glibc
import LonghaulCore
import LonghaulIPC
import Synchronization
import Testing

@testable import LonghaulCommand

/// Notices and errors, which must agree with the state at the time.
@Suite struct MessageTests {
    private let url = "http://host.example/big.iso"

    private func detail(_ transfer: TransferSnapshot) -> TransferDetail {
        TransferDetail(snapshot: transfer, headers: [], response: nil, lastFailure: nil, restarts: 0)
    }

    private func detach(_ state: TransferState, _ words: String...) async -> String {
        let test = TestWorld(
            ScriptedService {
                $0.details[id(1)] = detail(snapshot(1, state))
                $0.conditions.measured.isExpensive = true
            })
        #expect(await test.run(list: ["download", "-b", url, "-d", "/tmp"] + words) == 0)
        return test.saidLines.first ?? ""
    }

    @Test func conditionThatHoldsDelaysNoTransfer() async {
        #expect(await detach(.running(.receiving), "--no-metered") == "Running in the background.")
        #expect(await detach(.waiting(Waiting(.turn, since: start))) == "Running in the background.")
    }

    @Test func detachedTransferNamesItsReasonToWait() async {
        let metered = await detach(.waiting(Waiting(.metered, since: start)), "--no-metered")
        #expect(metered.hasPrefix("00000001 in the background: waiting for a network that is not metered;"))
        let later = Waiting(.notBefore, since: start, until: start + .seconds(60))
        #expect(await detach(.waiting(later)).hasPrefix("00000001 in the background: waiting for its start time"))
    }

    @Test func interruptedCommandReportsWaitingTransfers() async {
        let test = TestWorld()
        let waiting = update(snapshot(1, .waiting(Waiting(.metered, since: start))))
        test.service.state.withLock { $0.watches = [.init(updates: [waiting]) { test.send(.interrupt) }] }
        #expect(await test.run("download", url, "-d", "/tmp") == 130)
        #expect(test.saidLines.contains("Still waiting in the background."), "\(test.saidLines)")
    }

    @Test func budgetWaitNamesAnyway() async {
        let waiting = await detach(.waiting(Waiting(.budget, since: start)))
        #expect(waiting.contains("the data budget is used up; continue now with: longhaul anyway 00000001"))
    }

    @Test func notifyWithoutBusWarns() async throws {
        let scratch = Scratch()
        func said(_ words: String..., bus: String? = nil) async -> String {
            let test = TestWorld()
            var world = test.world()
            world.environment = ["HOME": scratch.path, "XDG_RUNTIME_DIR": scratch.path]
            world.environment["DBUS_SESSION_BUS_ADDRESS"] = bus
            #expect(await Program(world: world).run(["download", "-b", url, "-d", "/tmp"] + words) == 0)
            return test.said
        }
        let warning = "longhaul: --notify has no effect now: there is no session bus."
        #expect(await said("--notify").contains(warning))
        #expect(await !said("--notify", "-q").contains(warning))
        #expect(await !said("--notify", bus: "unix:path=/a").contains(warning))
        #expect(await !said().contains(warning))
        try scratch.write("", to: "bus")
        #expect(await !said("--notify").contains(warning))
    }

    // MARK: Logout

    private func background(_ logout: LogoutExamination, _ scratch: Scratch, _ words: String...) async -> [String] {
        let test = TestWorld(ScriptedService { $0.details[id(1)] = detail(snapshot()) })
        test.logout.withLock { $0 = logout }
        var world = test.world()
        world.environment = ["XDG_STATE_HOME": scratch.path, "XDG_RUNTIME_DIR": scratch.path]
        _ = await Program(world: world).run(["download", "-b", url, "-d", "/tmp"] + words)
        return test.saidLines
    }

    private static let stops = LogoutExamination(user: "ada", hasSystemd: true, lingers: false, units: .enabled)
    private static let notice = "Transfers stop at logout. To change that, run longhaul setup."

    private func scratch() -> Scratch {
        let scratch = Scratch()
        mkdir(scratch.path + "/longhaul", 0o700)
        return scratch
    }

    @Test func firstProcessOfContainerPromisesNoBackground() async {
        var logout = LogoutExamination(user: "ada", hasSystemd: false, lingers: false, units: .missing)
        logout.isFirstProcess = true
        let said = await background(logout, scratch())
        #expect(said.first?.hasPrefix("The container ends with this command.") == true, "\(said)")
        #expect(!said.joined().contains("background"))
    }

    @Test func logoutIsMentionedOnce() async {
        let scratch = scratch()
        #expect(await background(Self.stops, scratch).last == Self.notice)
        #expect(await !background(Self.stops, scratch).contains(Self.notice))
    }

    @Test(arguments: ["-q", "--json"]) func logoutIsNotMentionedToPrograms(option: String) async {
        let scratch = scratch()
        #expect(await !background(Self.stops, scratch, option).contains(Self.notice))
        #expect(await background(Self.stops, scratch).contains(Self.notice), "it was not used up")
    }

    @Test(arguments: [
        LogoutExamination(user: "ada", hasSystemd: true, lingers: true, units: .enabled),
        LogoutExamination(user: "ada", hasSystemd: false, lingers: false, units: .missing),
    ]) func logoutThatStopsNothingIsNotMentioned(_ logout: LogoutExamination) async {
        let said = await background(logout, scratch())
        #expect(!said.contains { $0.contains("longhaul setup") }, "\(said)")
    }

    // MARK: Errors

    @Test func codeIsShownOnlyWithVerbose() async {
        let service = { ScriptedService { $0.watches = [.init(updates: [update(snapshot(1, .failed(.noHost)))])] } }
        let plain = TestWorld(service())
        _ = await plain.run("download", url, "-d", "/tmp")
        #expect(plain.said.contains("nohost.example.\n") && !plain.said.contains("[hostNotFound]"), "\(plain.said)")
        let verbose = TestWorld(service())
        _ = await verbose.run("download", "-v", url, "-d", "/tmp")
        #expect(verbose.said.contains("nohost.example. [hostNotFound]\n"), "\(verbose.said)")
    }

    @Test func numberOfAttemptsIsInTheError() async {
        let failed = snapshot(1, .failed(.noHost), attempts: 11)
        let line = ErrorLine.text(.noHost, of: failed, in: .commandLine)
        #expect(line.hasSuffix("nohost.example. Gave up after 11 attempts."))
        let waiting = Waiting(.retry, since: start, until: start + .seconds(1), failure: .noHost)
        var transfer = snapshot(1, .waiting(waiting), attempts: 4)
        transfer.attemptsLeft = 7
        let phrase = StateText.phrase(transfer, in: .commandLine, now: start)
        #expect(phrase.hasPrefix("retry in 1 s (attempt 5 of 11): "), "\(phrase)")
    }

    @Test func helpIsNamedOnlyWhereItAnswers() async {
        for words in [["list", "--nonsense"], ["trust"], ["limits", "--total"], ["limits", "x"]] {
            let test = TestWorld()
            #expect(await test.run(list: words) == 2)
            #expect(test.said.hasSuffix(". See longhaul help \(words[0]).\n"), "\(test.said)")
            #expect(test.said.split(separator: "longhaul help").count == 2)
        }
        let value = TestWorld()
        #expect(await value.run("limits", "--total", "many") == 2)
        #expect(!value.said.contains("longhaul help"), "\(value.said)")
    }

    @Test func loginInNetrcIsNamedAfterARefusal() async throws {
        let refusal = TransferFailure(
            .credentialsRequired, "The server requires a login (401)", advice: "add it", origin: .status(401))
        for (host, isNamed) in [("host.example", true), ("other.example", false)] {
            let scratch = Scratch()
            try LocalFiles.write(
                Array("machine \(host) login ada password x\n".utf8), to: scratch.path + "/.netrc", overwrites: true)
            let waiting = Waiting(.credentials, since: start, failure: refusal)
            let test = TestWorld(
                ScriptedService { $0.watches = [.init(updates: [update(snapshot(1, .waiting(waiting)))])] })
            var world = test.world()
            world.environment = ["HOME": scratch.path]
            _ = await Program(world: world).run(["download", url, "-d", "/tmp"])
            #expect(test.said.contains("submit it again with -n") == isNamed, "\(test.said)")
        }
    }

    @Test func fileIsNotADirectory() async throws {
        let scratch = Scratch()
        try LocalFiles.write([], to: scratch.path + "/file", overwrites: true)
        let test = TestWorld()
        #expect(await test.run("download", url, "-d", scratch.path + "/file") == 3)
        #expect(test.said.contains("/file is a file, not a directory."), "\(test.said)")
    }

    @Test func longCredentialNameDoesNotTouchItsURL() throws {
        let name = try #require(CredentialName("a-name-of-more-than-fourteen-letters"))
        var report = CredentialReport()
        report.entries = [.init(name: name, origin: "https://h", state: .held)]
        #expect(CredentialText.lines(report).last == "a-name-of-more-than-fourteen-letters  https://h: available")
    }
}
