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

    @Test func completeSetupChangesNothing() async {
        #expect(await test.run("setup") == 0)
        #expect(test.saidLines == ["Transfers continue after logout and start at boot."])
        #expect(performed.isEmpty)
    }

    @Test func setupPromptsForLingeringAndEnablesIt() async {
        stand(.enabled, lingers: false)
        #expect(await test.run("setup") == 0)
        #expect(performed == ["loginctl enable-linger"])
        #expect(
            test.saidLines == [
                "Transfers stop at the last logout and continue at the next login.",
                "Keep transfers running after logout, and start them at boot? This runs: loginctl enable-linger [Y/n] ",
                "Done: loginctl enable-linger", "Transfers continue after logout and start at boot.",
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
        #expect(test.saidLines.last == "Skipped: loginctl enable-linger")
    }

    @Test func failedSetupNamesRemedy() async {
        stand(.enabled, lingers: false)
        test.performance.withLock { $0 = 1 }
        #expect(await test.run("setup", "-y") == 12)
        #expect(
            test.said.contains(
                "Failed: loginctl enable-linger\nAsk an administrator to run: sudo loginctl enable-linger ada\n"))
    }

    @Test func withoutSystemdThereIsAHint() async {
        stand(.missing, lingers: false, hasSystemd: false)
        #expect(await test.run("setup") == 0)
        #expect(performed.isEmpty && test.said.contains("@reboot longhaul service start"))
    }
}
