import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

@Suite struct SetupTests {
    private let test = TestWorld()

    private func stand(_ units: LogoutExamination.Units, lingers: Bool, hasSystemd: Bool = true) {
        test.logout.withLock {
            $0 = LogoutExamination(user: "ada", hasSystemd: hasSystemd, lingers: lingers, units: units)
        }
    }

    private var performed: [String] { test.performed.withLock { $0.map { $0.joined(separator: " ") } } }

    @Test func whereAllIsWellNothingIsDone() async {
        #expect(await test.run("setup") == 0)
        #expect(test.saidLines == ["Now: transfers go on after logout, and at boot"])
        #expect(performed.isEmpty)
    }

    @Test func lingeringIsAskedForAndDone() async {
        stand(.enabled, lingers: false)
        #expect(await test.run("setup") == 0)
        #expect(performed == ["loginctl enable-linger"])
        #expect(
            test.saidLines == [
                "Now: transfers stop at the last logout and go on at the next login",
                "Let transfers go on after logout, and at boot? This runs: loginctl enable-linger [Y/n] ",
                "Done: loginctl enable-linger", "Now: transfers go on after logout, and at boot",
            ])
    }

    @Test func unitsThatAreThereAreEnabledFirst() async {
        stand(.installed, lingers: false)
        #expect(await test.run("setup", "--yes") == 0)
        #expect(
            performed == ["systemctl --user enable --now longhaul.socket longhaul.service", "loginctl enable-linger"])
        #expect(!test.said.contains("[Y/n]"))
    }

    @Test func noIsNo() async {
        stand(.installed, lingers: false)
        test.confirmation.withLock { $0 = false }
        #expect(await test.run("setup") == 0)
        #expect(performed.isEmpty)
        #expect(test.saidLines.last == "Left as it is: loginctl enable-linger")
    }

    @Test func whatFailsIsToldWithWhatHelps() async {
        stand(.enabled, lingers: false)
        test.performance.withLock { $0 = 1 }
        #expect(await test.run("setup", "-y") == 12)
        #expect(test.said.contains("Failed: loginctl enable-linger; have it done: sudo loginctl enable-linger ada"))
    }

    @Test func withoutSystemdThereIsAHint() async {
        stand(.missing, lingers: false, hasSystemd: false)
        #expect(await test.run("setup") == 0)
        #expect(performed.isEmpty && test.said.contains("@reboot longhaul service start"))
    }
}
