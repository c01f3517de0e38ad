import Glibc
import LonghaulCore
import TestSupport
import Testing

@testable import Longhaul

/// Measurements of an app that is killed in the middle of its upload.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"))
struct KilledAppTests {
    private struct Measure {
        /// The time from the signal to the service's first request, as the server sees it.
        var gap: Duration
        var sentTwice: Int64
        /// The capacity of one pair of sockets, according to the kernel at the time of the signal.
        var sockets: Int64
    }

    /// Ten times over plain HTTP; a few runs show the effects of TLS and HTTP/2.
    @Test(.onEachTransport) func serviceResendsOnlySocketBuffersOfKilledApp() async throws {
        var measures: [Measure] = []
        for _ in 0..<(Transport.current.isSecure ? 3 : 10) { measures.append(try await measure()) }
        let gaps = measures.map(\.gap).sorted()
        let twice = measures.map(\.sentTwice).sorted()
        let middle = measures.count / 2
        print("gap after SIGKILL: median \(gaps[middle]), least \(gaps[0]), most \(gaps[measures.count - 1])")
        print(
            "sent twice: median \(twice[middle]) bytes, most \(twice[measures.count - 1]); sockets hold \(measures.map(\.sockets).max() ?? 0)"
        )
        // The receiver accepts a whole packet even if less than that fits.
        for measure in measures { #expect(measure.sentTwice <= measure.sockets + (64 << 10)) }
    }

    /// Socket buffers grow with the sent bytes, until they are full because the server no longer reads. On a busy
    /// machine they may seem full earlier.
    private func fullSockets(of server: NastyServer) async throws -> SocketMemory {
        var found = SocketMemory()
        var looks = 0
        while looks < 5 {
            let next = try await SocketMemory.found(port: server.port, toPort: true)
            looks = next.total == found.total ? looks + 1 : 0
            found = next
        }
        return found
    }

    private func measure() async throws -> Measure {
        let world = try HandoffWorld()
        // From here on, the body fills the sockets.
        world.stallUpload(after: HandoffWorld.length * 3 / 10)
        let app = try SampleRun(world, "tus")
        try await world.wait(for: HandoffWorld.length * 3 / 10)
        let sockets = try await fullSockets(of: world.server)
        let gap = try await aside {
            let killed = ContinuousClock.now
            app.process.signal(SIGKILL)
            try world.server.wait(for: "the service's question") { log in
                log.contains { $0.method == "HEAD" } ? () : nil
            }
            return ContinuousClock.now - killed
        }
        world.latch.open()
        try await world.waitForUpload()
        let received = try await world.receivedInAll()
        #expect(world.tus.uploads.map(\.checksum) == [world.content.checksum])
        return Measure(gap: gap, sentTwice: received - HandoffWorld.length, sockets: sockets.total)
    }
}
