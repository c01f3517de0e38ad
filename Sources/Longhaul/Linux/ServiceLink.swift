import LonghaulClient

/// The connection that an app uses to negotiate ownership of its session with the service. As long as the connection
/// lives, the service does not reclaim a session that it gave back.
actor ServiceLink: SessionLink {
    private let session: SessionID
    private let environment: [String: String]
    private var connection: ServiceConnection?

    init(_ session: SessionID, environment: [String: String]) {
        self.session = session
        self.environment = environment
    }

    func connects() async -> Bool {
        (try? await connected()) != nil
    }

    func isRunByService() async throws(TransferFailure) -> Bool {
        try await query { connection, session throws(TransferFailure) in
            try await connection.info(of: session).owner?.kind == .service
        }
    }

    func release() async throws(TransferFailure) {
        try await query { connection, session throws(TransferFailure) in
            try await connection.release(session, .whenHarmless)
        }
    }

    func adopt() async throws(TransferFailure) {
        try await query { connection, session throws(TransferFailure) in try await connection.adopt(session) }
    }

    func openBackend() async throws(TransferFailure) -> any SessionBackend & SessionMover {
        try await ServiceBackend.open(session, environment: environment)
    }

    func close() {
        connection?.close()
        connection = nil
    }

    /// Sends an idempotent request. A service that has died is often noticed only when a request fails, so the request is repeated on a
    /// new connection.
    private func query<Answer: Sendable>(
        _ question: @Sendable (ServiceConnection, SessionID) async throws(TransferFailure) -> Answer
    ) async throws(TransferFailure) -> Answer {
        let asked = try await connected()
        do throws(TransferFailure) {
            return try await question(asked, session)
        } catch {
            guard asked.hasEnded else { throw error }
            return try await question(try await connected(), session)
        }
    }

    private func connected() async throws(TransferFailure) -> ServiceConnection {
        if let connection, !connection.hasEnded { return connection }
        let fresh = try await ServiceConnection.open(startsService: true, environment: environment)
        connection = fresh
        return fresh
    }
}
