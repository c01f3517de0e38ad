import CPlatform
import Glibc
import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import TestSupport
import Testing

@Suite struct SocketServerTests {
    private func expectRefusal(_ code: FailureCode, from client: RawClient) throws {
        guard case .failed(let failure) = try client.receiveToEnd() else { throw RawClient.Unexpected.closed }
        #expect(failure.code == code)
    }

    @Test func clientIsServedAfterHello() throws {
        let server = try TestServer()
        let client = try RawClient.greeted(path: server.socketPath)
        try client.send(.status, request: 5)
        #expect(try client.receive() == ServiceEnvelope(request: 5, message: .done))
    }

    @Test func onlyTheOwnerMayUseTheSocket() throws {
        let server = try TestServer()
        var status = stat()
        #expect(stat(server.socketPath, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test(.enabled(if: getuid() == 0 && access("/usr/bin/perl", X_OK) == 0, "needs root and perl to be another user"))
    func anotherUserIsRefused() async throws {
        let server = try TestServer()
        chmod(server.directory.path, 0o755)
        chmod(server.directory.path("longhaul"), 0o755)
        chmod(server.socketPath, 0o777)
        let program = "my $s = IO::Socket::UNIX->new($ARGV[0]) or die $!; local $/; print <$s>"
        let call = ProgramCall(
            "/usr/bin/setpriv",
            ["--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/perl", "-MIO::Socket::UNIX", "-e", program]
                + [server.socketPath])
        let result = try await call.run()
        #expect(result.output.contains("This service belongs to another user."))
        #expect(server.departures.all.isEmpty)
    }

    @Test func theFirstMessageMustBeHello() throws {
        let server = try TestServer()
        let client = try RawClient(path: server.socketPath)
        try client.send(.status, request: 1)
        try expectRefusal(.protocolMismatch, from: client)
    }

    @Test func secondHelloIsRefused() throws {
        let server = try TestServer()
        let client = try RawClient.greeted(path: server.socketPath)
        try client.send(.hello(version: 1, program: ""), request: 2)
        try expectRefusal(.protocolMismatch, from: client)
    }

    @Test func anotherVersionIsRefused() throws {
        let server = try TestServer()
        let client = try RawClient(path: server.socketPath)
        try client.send(.hello(version: 2, program: ""), request: 1)
        try expectRefusal(.protocolMismatch, from: client)
    }

    @Test(
        arguments: [
            [0, 0, 0, 0], [2, 0, 0, 0, 9, 0], [3, 0, 0, 0, 1, 0xFF, 0xFF], [1, 0, 0, 0, 1],
            [3, 0, 0, 0, 1, 0x08, 0x01],
        ] as [[UInt8]])
    func bytesThatAreNoMessageEndOnlyTheirOwnConnection(_ bytes: [UInt8]) throws {
        let server = try TestServer()
        let other = try RawClient.greeted(path: server.socketPath)
        let client = try RawClient.greeted(path: server.socketPath)
        try client.send(bytes)
        try expectRefusal(.protocolMismatch, from: client)
        try other.send(.status, request: 1)
        #expect(try other.receive()?.message == .done)
    }

    @Test func aFrameThatIsTooLargeIsRefused() throws {
        let server = try TestServer()
        let client = try RawClient.greeted(path: server.socketPath)
        try client.send([0x01, 0, 0x80, 0, 1])
        try expectRefusal(.messageTooLarge, from: client)
    }

    @Test func beforeHelloOnlySmallFramesAreTaken() throws {
        let server = try TestServer()
        let client = try RawClient(path: server.socketPath)
        try client.send([0, 0, 1, 0, 1])
        try expectRefusal(.messageTooLarge, from: client)
    }

    @Test func anInterruptedFrameEndsQuietly() throws {
        let server = try TestServer()
        let frame = try Frame.bytes(of: ClientEnvelope(request: 1, message: .status))
        for count in 1..<frame.count {
            let client = try RawClient.greeted(path: server.socketPath)
            try client.send(Array(frame[..<count]))
        }
        try server.departures.waitForCount(frame.count - 1)
        #expect(server.requests.all.isEmpty)
    }

    @Test func silentClientIsDisconnected() throws {
        var limits = ServerLimits()
        limits.helloTime = .milliseconds(30)
        let server = try TestServer(limits: limits)
        try expectRefusal(.timedOut, from: RawClient(path: server.socketPath))
    }

    @Test func unfinishedFrameDisconnectsClient() throws {
        var limits = ServerLimits()
        limits.frameTime = .milliseconds(30)
        let server = try TestServer(limits: limits)
        let client = try RawClient.greeted(path: server.socketPath)
        try client.send([200, 0, 0, 0, 1, 8])
        try expectRefusal(.timedOut, from: client)
    }

    @Test func moreClientsThanAllowedAreTurnedAway() throws {
        var limits = ServerLimits()
        limits.clients = 2
        let server = try TestServer(limits: limits)
        let clients = try (0..<2).map { _ in try RawClient.greeted(path: server.socketPath) }
        try expectRefusal(.serviceUnavailable, from: RawClient(path: server.socketPath))
        try clients[0].send(.status, request: 1)
        #expect(try clients[0].receive()?.message == .done)
    }

    @Test func aRequestNumberThatIsUnderWayIsRefused() throws {
        let server = try TestServer(answer: { _, _, _ in })
        let client = try RawClient.greeted(path: server.socketPath)
        try client.send(.status, request: 1)
        try client.send(.status, request: 1)
        try expectRefusal(.protocolMismatch, from: client)
    }

    @Test func aThousandRequestsAtOnceAreAllAnswered() throws {
        let server = try TestServer()
        let client = try RawClient.greeted(path: server.socketPath)
        try client.send((1...1_000).flatMap { try Frame.bytes(of: ClientEnvelope(request: $0, message: .status)) })
        var numbers: Set<UInt64> = []
        for _ in 1...1_000 { numbers.insert(try #require(try client.receive()).request) }
        #expect(numbers.count == 1_000)
    }
}
