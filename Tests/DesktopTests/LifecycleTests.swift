import LonghaulCore
import TestSupport
import Testing

/// The states of a window in Longhaul's lifecycle.
extension DesktopTests {
    @Suite struct LifecycleTests {
        @Test func closingLastWindowWaitsForLifecycleHandlers() async throws {
            try await Example.sample.build()
            let desktop = try await Desktop()
            let app = try desktop.start(.sample, with: ["SAMPLE_LINGERS": "1"])
            _ = try await desktop.find("DesktopKit", role: "label", in: .sample)
            try await desktop.picture("desktopkit-1-window")
            try await desktop.click("Close", in: .sample)
            #expect(try await app.waitForEnd() == .exited(0))
            #expect(
                app.output.split(separator: "\n") == [
                    "active", "handled", "inactive", "handled", "background", "handled",
                    "terminating", "handled",
                ])
        }

        @Test func beforeTheMachineSleepsTheAppHasItsTime() async throws {
            try await Example.sample.build()
            let desktop = try await Desktop()
            let logind = try await SleepyMachine(desktop)
            let app = try desktop.start(.sample, with: logind.environment.merging(["SAMPLE_LINGERS": "1"]) { $1 })
            try await app.waitForOutput(containing: "active\nhandled")
            try await logind.waitForInhibitors(1)
            try await logind.announce(sleeps: true)
            try await app.waitForOutput(containing: "inactive\nhandled\nbackground\nhandled")
            try await logind.announce(sleeps: false)
            try await app.waitForOutput(containing: "inactive\nhandled\nactive\nhandled")
            // One for this sleep, one for the next.
            try await logind.waitForInhibitors(2)
            #expect(app.isRunning)
        }

        @Test func aLogoutEndsTheAppInOrder() async throws {
            try await Example.sample.build()
            let desktop = try await Desktop()
            let manager = try await SessionManager(desktop)
            let app = try desktop.start(.sample, with: ["SAMPLE_LINGERS": "1"])
            try await app.waitForOutput(containing: "active\nhandled")
            try await manager.waitForClient()
            try await manager.endSession()
            #expect(try await app.waitForEnd() == .exited(0))
            #expect(app.output.hasSuffix("terminating\nhandled\n"))
        }

        @Test func launchForEventShowsNoWindowAndExits() async throws {
            try await Example.sample.build()
            let desktop = try await Desktop()
            let app = try desktop.start(.sample, "--gapplication-service")
            try await desktop.run(
                "/usr/bin/gdbus", "wait", "--session", "--timeout", "60", Example.sample.id)
            try await desktop.run(
                "/usr/bin/gdbus", "call", "--session", "-d", Example.sample.id, "-o", "/io/longhaul/DesktopSample",
                "-m", "org.freedesktop.Application.ActivateAction", "transfers-finished", "[<'photos'>]", "{}")
            #expect(try await app.waitForEnd() == .exited(0))
            #expect(app.output == "woken for photos\nterminating\n")
        }

        @Test func aSignalEndsTheAppInOrder() async throws {
            try await Example.sample.build()
            let desktop = try await Desktop()
            let app = try desktop.start(.sample, with: ["SAMPLE_LINGERS": "1"])
            try await app.waitForOutput(containing: "handled")
            app.signal(15)
            #expect(try await app.waitForEnd() == .exited(0))
            #expect(app.output.hasSuffix("terminating\nhandled\n"))
        }
    }
}
