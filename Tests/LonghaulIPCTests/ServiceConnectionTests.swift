import LonghaulClient
import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import SocketTestSupport
import TestSupport
import Testing

@Suite struct ServiceConnectionTests {
    private static let session = SessionID("org.example.films")!

    private func connect(to server: TestServer) async throws -> ServiceConnection {
        try await ServiceConnection.open(startsService: false, environment: server.environment)
    }

    private static func limits(_ number: UInt64) -> ServiceMessage {
        .session(.limits(SessionLimits(total: Int(number), perHost: 1)))
    }

    @Test func manyCallsAtOnceEachGetTheirOwnAnswer() async throws {
        let server = try TestServer { mailbox, key, message in
            guard case .session(_, .show(let id)) = message else { return }
            mailbox.reply(.session(.failed(TransferFailure(.unknownTransfer, "\(id)"))), to: key)
        }
        let connection = try await connect(to: server)
        await withTaskGroup { group in
            for number in 1...300 as ClosedRange<UInt64> {
                group.addTask {
                    let id = TransferID(high: 1, low: number)
                    let error = await #expect(throws: TransferFailure.self) {
                        try await connection.show(id, in: Self.session)
                    }
                    #expect(error == TransferFailure(.unknownTransfer, "\(id)"))
                }
            }
        }
    }

    @Test func whenTheServiceGoesEveryCallFailsOnce() async throws {
        let server = try TestServer(answer: { _, _, _ in })
        let connection = try await connect(to: server)
        let calls = (1...10).map { _ in Task { try await connection.status() } }
        _ = try await server.requests.waitForCount(10)
        server.stop()
        for call in calls {
            let error = await #expect(throws: TransferFailure.self) { try await call.value }
            #expect(error?.code == .serviceUnavailable)
        }
        await #expect(throws: TransferFailure.self) { try await connection.status() }
    }

    @Test func cancelledCallFailsImmediatelyAndConnectionStaysUsable() async throws {
        let server = try TestServer { mailbox, key, message in
            if case .sessions = message { mailbox.reply(.sessions([]), to: key) }
        }
        let connection = try await connect(to: server)
        let call = Task { try await connection.status() }
        let key = try await server.requests.next()
        call.cancel()
        let error = await #expect(throws: TransferFailure.self) { try await call.value }
        #expect(error?.code == .interrupted)
        // No caller waits for the late answer.
        server.mailbox.reply(.done, to: key)
        #expect(try await connection.sessions() == [])
    }

    @Test func aCallOfACancelledTaskFails() async throws {
        let server = try TestServer(answer: { _, _, _ in })
        let connection = try await connect(to: server)
        let latch = Latch()
        let call = Task {
            try await aside { latch.pass() }
            return try await connection.status()
        }
        call.cancel()
        latch.open()
        let error = await #expect(throws: TransferFailure.self) { try await call.value }
        #expect(error?.code == .interrupted)
    }

    @Test func aClosedConnectionFailsItsCalls() async throws {
        let server = try TestServer(answer: { _, _, _ in })
        let connection = try await connect(to: server)
        let call = Task { try await connection.status() }
        _ = try await server.requests.next()
        connection.close()
        await #expect(throws: TransferFailure.self) { try await call.value }
        _ = try await server.departures.next()
    }

    @Test func unreferencedConnectionIsClosed() async throws {
        let server = try TestServer()
        _ = try await connect(to: server)
        _ = try await server.departures.next()
    }

    @Test func connectionWithoutServiceFailsAsUnavailable() async throws {
        let place = try TemporaryDirectory()
        let error = await #expect(throws: TransferFailure.self) {
            try await ServiceConnection.open(
                startsService: false, environment: ["XDG_RUNTIME_DIR": place.path, "HOME": place.path])
        }
        #expect(error?.code == .serviceUnavailable)
        #expect(place.names() == [])
    }

    /// A connection to it would make systemd start the service.
    @Test func systemdSocketIsNotContactedIfServiceMustNotStart() async throws {
        let place = try TemporaryDirectory()
        try place.makeDirectory("longhaul")
        let listener = try UnixSocket.listen(path: place.path("longhaul/socket"))
        let error = await #expect(throws: TransferFailure.self) {
            try await ServiceConnection.open(
                startsService: false, environment: ["XDG_RUNTIME_DIR": place.path, "HOME": place.path])
        }
        #expect(error == .serviceAbsent)
        #expect(throws: SystemError.wouldBlock) { try UnixSocket.accept(from: listener).get() }
    }

    @Test func aRefusalOfTheConnectionIsTheFailureOfTheCall() async throws {
        let server = try TestServer { mailbox, key, _ in
            mailbox.reply(
                .failed(TransferFailure(.messageTooLarge, "Too much.")), to: RequestKey(client: key.client, number: 0))
        }
        let connection = try await connect(to: server)
        let error = await #expect(throws: TransferFailure.self) { try await connection.status() }
        #expect(error?.code == .messageTooLarge)
    }

    @Test func aLargeBatchTravelsInPiecesAndComesBackInOrder() async throws {
        let server = try TestServer { mailbox, key, message in
            guard case .session(_, .submit(let specs)) = message else { return }
            let answers = specs.map { SubmissionAnswer.refused(TransferFailure(.invalidURL, $0.url)) }
            mailbox.reply(.session(.submitted(answers)), to: key)
        }
        let connection = try await connect(to: server)
        let padding = String(repeating: "x", count: 20_000)
        let specs = (1...1_500).map { TransferSpec.farAway(url: "http://h/\($0)?\(padding)") }
        let answers = try await connection.submit(specs, to: Self.session)
        #expect(answers == specs.map { .refused(TransferFailure(.invalidURL, $0.url)) })
        #expect(server.requests.all.count > 3)
    }

    @Test func aTransferThatFitsIntoNoFrameIsRefusedAlone() async throws {
        let server = try TestServer { mailbox, key, message in
            guard case .session(_, .submit(let specs)) = message else { return }
            mailbox.reply(.session(.submitted(specs.map { _ in .accepted(TransferID(high: 1, low: 1)) })), to: key)
        }
        let connection = try await connect(to: server)
        let huge = TransferSpec(
            work: .request(body: [UInt8](repeating: 1, count: Frame.limit)), method: "POST", url: "http://h/")
        let answers = try await connection.submit([.farAway(), huge, .farAway()], to: Self.session)
        #expect(answers[0] == .accepted(TransferID(high: 1, low: 1)))
        guard case .refused(let failure) = answers[1] else { throw RawClient.Unexpected.silence }
        #expect(failure.code == .messageTooLarge)
        #expect(answers[2] == answers[0])
    }
}
