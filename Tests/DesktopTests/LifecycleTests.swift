import LonghaulCore
import TestSupport
import Testing

/// What the life of a window becomes in Longhaul's lifecycle.
extension DesktopTests {
    @Suite struct LifecycleTests {
        @Test func closingTheLastWindowIsToldAndTheProcessWaitsUntilThatWasHandled() async throws {
            try await Example.sample.build()
            let desktop = try await Desktop()
            let app = try desktop.start(.sample, with: ["SAMPLE_LINGERS": "1"])
            _ = try await desktop.find("DesktopKit", role: "label", in: .sample)
            try await desktop.picture("desktopkit-1-window")
            try await desktop.click("Close", in: .sample)
            #expect(try await app.waitForEnd() == .exited(0))
            #expect(
                app.output.split(separator: "\n") == [
                    "didBecomeActive", "handled", "willResignActive", "handled", "didEnterBackground", "handled",
                    "willTerminate", "handled",
                ])
        }

        @Test func aSignalEndsTheAppInOrder() async throws {
            try await Example.sample.build()
            let desktop = try await Desktop()
            let app = try desktop.start(.sample, with: ["SAMPLE_LINGERS": "1"])
            try await app.waitForOutput(containing: "handled")
            app.signal(15)
            #expect(try await app.waitForEnd() == .exited(0))
            #expect(app.output.hasSuffix("willTerminate\nhandled\n"))
        }
    }
}
