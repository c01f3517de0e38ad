import LonghaulCore
import TestSupport
import Testing

/// The whole path of the option: a transfer that waits until the machine is idle.
@Suite(.enabled(if: MockedBus.missing == nil, "\(MockedBus.missing ?? "")")) struct WhenIdleTests {
    private static let name = "org.freedesktop.login1"

    private func say(_ isIdle: Bool, _ bus: MockedBus) throws {
        try bus.call(
            Self.name, "/org/freedesktop/login1", "org.freedesktop.DBus.Mock.UpdateProperties", Self.name + ".Manager",
            "{'IdleHint': <\(isIdle)>}")
    }

    @Test(.onEachTransport) func idleTransferStartsWhenLogindReportsIdle() async throws {
        let bus = try MockedBus()
        let logind = try bus.start("--template", "logind", name: Self.name)
        try say(false, bus)
        let product = try Product()
        let content = Content(seed: 65, length: 200_000)
        let server = try NastyServer(routes: ["/f": Route(.file(content, etag: "\"v1\""))])
        // The service that it starts uses this bus too.
        var call = product.call("longhaul", ["download", "-q", "-b", "--when-idle", server.url("/f")])
        call.environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus.address
        #expect(try await call.run().exitStatus == 0)
        let id = try #require(try await product.list().first?["id"])
        let waiting = try await product.succeed("show", id)
        #expect(waiting.contains("waiting for the machine to be idle"), "\(waiting)")
        #expect(server.requests.isEmpty)
        try say(true, bus)
        #expect(try await product.longhaul("watch", id).exitStatus == 0)
        #expect(try product.home.read("work/f") == content.bytes() && server.requests.count == 1)
        withExtendedLifetime(logind) {}
    }
}
