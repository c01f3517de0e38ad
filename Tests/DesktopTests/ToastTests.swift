import TestSupport
import Testing

/// The toasts that the apps share.
extension DesktopTests {
    @Suite struct ToastTests {
        @Test func toastsThatComeAndGoFasterThanTheyMoveAreShownInTheEnd() async throws {
            try await Example.sample.build()
            let desktop = try await Desktop()
            let app = try desktop.start(.sample, with: ["SAMPLE_TOASTS": "1"])
            try await app.waitForOutput(containing: "all said")
            _ = try await desktop.find("All said", role: "label", in: .sample)
            try await desktop.picture("desktopkit-2-toast")
            #expect(app.isRunning)
        }
    }
}
