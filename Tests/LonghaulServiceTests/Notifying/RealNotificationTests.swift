import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import TestSupport
import Testing

/// A notification on a screen, and a click with a mouse.
@Suite(
    .timeLimit(.minutes(5)), .onEachTransport, .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"),
    .enabled(if: NotificationScreen.missing == nil, "\(NotificationScreen.missing ?? "")"))
struct RealNotificationTests {
    @Test func aNotificationIsSeenAndAClickWakesTheDeadApp() async throws {
        let screen = try await NotificationScreen()
        let world = try await NotificationWorld(display: screen.display)
        try await screen.showNotifications(of: world)
        let service = try await RunningService(in: world.wake.product)
        let connection = try await service.connect()
        try world.wake.set(.acknowledge)
        try await world.set(connection)
        var spec = TransferSpec(work: .request(body: []), method: "GET", url: world.wake.server.url("/none"))
        spec.options.retryLimit = 0
        _ = try await connection.submit([spec], to: WakeWorld.session)
        try await screen.click(picture: "notification.png", buttons: 2)
        try await world.wake.wait("tapped transfers ")
        #expect(world.wake.lines("woken").first?.hasPrefix("woken org.example.photos notification-tapped ") == true)
    }
}
