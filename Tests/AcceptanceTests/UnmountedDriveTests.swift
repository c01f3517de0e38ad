import Glibc
import LonghaulCore
import TestSupport
import Testing

/// A download to a drive that is not mounted waits for the drive.
@Suite(.onEachTransport, .enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"))
struct UnmountedDriveTests {
    private static let content = Content(seed: 61, length: 4 << 20)

    /// A directory of the test's home that is mounted elsewhere in it: its files outlive the mount.
    private final class Drive {
        private let home: TemporaryDirectory

        init(_ product: Product) throws {
            home = product.home
            for name in ["drive", "drive/films", "work/usb"] { try home.makeDirectory(name) }
            try mount()
        }

        deinit { umount2(home.path("work/usb"), Int32(MNT_DETACH)) }

        func mount() throws {
            guard Glibc.mount(home.path("drive"), home.path("work/usb"), nil, UInt(MS_BIND), nil) == 0 else {
                throw failure
            }
        }

        /// The drive is not in use, as after a crash of the service.
        func unmount() throws {
            guard umount2(home.path("work/usb"), 0) == 0 else { throw failure }
        }

        /// udisks removes its mount points.
        func removeMountPoint() throws {
            guard rmdir(home.path("work/usb")) == 0 else { throw failure }
        }

        private var failure: TransferFailure {
            TransferFailure(.fileFailed, "the drive of a test", origin: .system(Int(errno)))
        }
    }

    private func waitForMount(_ product: Product, _ id: String) async throws -> JSONText {
        let facts = try await product.wait(for: id, "a reason") {
            ($0["state"] == "waiting" && $0["reason"] != "turn") || $0["state"] == "failed"
        }
        #expect(facts["reason"] == "mount" && facts["code"] == "notMounted", "\(facts)")
        return facts
    }

    @Test(arguments: [false, true]) func downloadContinuesAfterCrashOnceMounted(losesMountPoint: Bool) async throws {
        let latch = Latch()
        let product = try Product()
        let drive = try Drive(product)
        let reply = Reply.file(Self.content, etag: "\"v1\"")
        let server = try NastyServer(
            routes: ["/f": .first(1, reply.stalled(after: 2 << 20, by: latch), then: reply)])
        let id = try await product.succeed(
            "download", "--detach", "--split", "1", "-d", "usb/films", "-o", "f", server.url("/f"))
        try await product.waitUntilResumable(id, in: "drive/films", bytes: 1 << 20)
        try await product.killService()
        latch.open()
        try drive.unmount()
        if losesMountPoint { try drive.removeMountPoint() }
        try await product.succeed("service", "start")
        _ = try await waitForMount(product, id)
        try await product.succeed("retry", id)
        let facts = try await waitForMount(product, id)
        let directory = product.home.path("work/usb")
        #expect(facts["message"]?.hasPrefix("No file system is mounted at \(directory).") == true, "\(facts)")
        #expect(server.requests.count == 1 && product.home.names("work/usb").isEmpty, "\(server.summary)")
        if losesMountPoint { try product.home.makeDirectory("work/usb") }
        try drive.mount()
        try await product.succeed("retry", id)
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/usb/films/f") == Self.content.bytes())
        #expect((server.requests.last?.range?.first ?? 0) > 1 << 19, "\(server.summary)")
        withExtendedLifetime(drive) {}
    }

    @Test func downloadThatHasNotBegunRequestsNothing() async throws {
        let product = try Product()
        let drive = try Drive(product)
        let server = try NastyServer(routes: ["/f": Route(.file(Self.content, etag: "\"v1\""))])
        let id = try await product.succeed(
            "download", "--detach", "--not-before", "+1h", "-d", "usb", server.url("/f"))
        try await product.succeed("pause", id)
        try drive.unmount()
        try await product.succeed("resume", id)
        try await product.succeed("retry", id)
        _ = try await waitForMount(product, id)
        #expect(server.requests.isEmpty && product.home.names("work/usb").isEmpty)
        let advice = try await product.succeed("doctor", id)
        #expect(
            advice.contains("is mounted at \(product.home.path("work/usb"))") && advice.contains("Connect the drive"),
            "\(advice)")
        try drive.mount()
        try await product.succeed("retry", id)
        try await product.succeed("watch", id)
        #expect(try product.home.read("drive/f") == Self.content.bytes())
        withExtendedLifetime(drive) {}
    }

    @Test func waitingDownloadMovesOrEndsWithoutTheDrive() async throws {
        let product = try Product()
        let drive = try Drive(product)
        let server = try NastyServer(routes: ["/f": Route(.file(Self.content, etag: "\"v1\""))])
        var ids: [String] = []
        for name in ["a", "b"] {
            ids.append(
                try await product.succeed(
                    "download", "--detach", "--not-before", "+1h", "-d", "usb/films", "-o", name, server.url("/f")))
        }
        try drive.unmount()
        try drive.removeMountPoint()
        for id in ids {
            try await product.succeed("retry", id)
            _ = try await waitForMount(product, id)
        }
        try await product.succeed("set", ids[0], "-d", ".")
        try await product.succeed("retry", ids[0])
        try await product.succeed("watch", ids[0])
        #expect(try product.home.read("work/a") == Self.content.bytes())
        try await product.succeed("cancel", ids[1])
        try await product.succeed("remove", ids[1])
        #expect(try await product.list().count == 1)
        withExtendedLifetime(drive) {}
    }

    @Test(arguments: [false, true]) func uploadWaitsForItsDrive(isForm: Bool) async throws {
        let product = try Product()
        let drive = try Drive(product)
        try product.home.write(Self.content, to: "drive/f")
        let server = try NastyServer(routes: ["/in": Route(.status(201))])
        let url = server.url("/in")
        let id =
            isForm
            ? try await product.succeed("upload", "--detach", "--not-before", "+1h", "-F", "a=@usb/f", url)
            : try await product.succeed("upload", "--detach", "--not-before", "+1h", "-X", "POST", "usb/f", url)
        try await product.killService()
        try drive.unmount()
        try await product.succeed("service", "start")
        try await product.succeed("retry", id)
        let facts = try await waitForMount(product, id)
        let directory = product.home.path("work/usb")
        #expect(facts["message"]?.hasPrefix("No file system is mounted at \(directory).") == true, "\(facts)")
        #expect(server.requests.isEmpty && product.home.names("work/usb").isEmpty)
        try drive.mount()
        // Without a command: the transfer looks for its drive again, within half a minute.
        try await server.waitForRequests(1)
        try await product.succeed("watch", id)
        #expect(server.requests.count == 1, "\(server.summary)")
        withExtendedLifetime(drive) {}
    }

    @Test func driveOfTheStateIsNotWaitedFor() async throws {
        let product = try Product()
        let server = try NastyServer(routes: ["/f": Route(.file(Self.content, etag: "\"v1\""))])
        // The volume of the state directory is mounted whenever the service runs.
        guard mount(product.home.path, product.home.path, nil, UInt(MS_BIND), nil) == 0 else { throw Unexpected() }
        defer { umount2(product.home.path, Int32(MNT_DETACH)) }
        let id = try await product.succeed(
            "download", "--detach", "--not-before", "+1h", "-d", ".", server.url("/f"))
        umount2(product.home.path, Int32(MNT_DETACH))
        try await product.succeed("retry", id)
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/f") == Self.content.bytes())
    }
}
