import LonghaulClient

/// The connection by which an app that runs a session itself talks to the service about who has it. As long as it lives, the
/// service keeps its hands off what it gave back.
actor ServiceLink {
    private let session: SessionID
    private let environment: [String: String]
    private var connection: ServiceConnection?

    init(_ session: SessionID, environment: [String: String]) {
        self.session = session
        self.environment = environment
    }

    /// Whether a service can be talked to, which is started if need be. Why not is told by what is asked of it next.
    func connects() async -> Bool {
        (try? await connected()) != nil
    }

    /// Whether the service runs the session now, and could be watched.
    func isRunByService() async throws(TransferFailure) -> Bool {
        try await ask { connection, session throws(TransferFailure) in
            try await connection.info(of: session).owner?.kind == .service
        }
    }

    /// Has the session given back to this process, unless that would cost bytes.
    func release() async throws(TransferFailure) {
        try await ask { connection, session throws(TransferFailure) in
            try await connection.release(session, .whenHarmless)
        }
    }

    /// Has the service wait for the session.
    func adopt() async throws(TransferFailure) {
        try await ask { connection, session throws(TransferFailure) in try await connection.adopt(session) }
    }

    /// The session, for calls and watches, while the service runs it.
    func openBackend() async throws(TransferFailure) -> ServiceBackend {
        try await ServiceBackend.open(session, environment: environment)
    }

    /// The service gets what it gave back, as soon as nobody has its lock.
    func close() {
        connection?.close()
        connection = nil
    }

    /// Asks what may be asked twice. That a service has died is often noticed only by what is asked of it: then the next one is asked.
    private func ask<Answer: Sendable>(
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
