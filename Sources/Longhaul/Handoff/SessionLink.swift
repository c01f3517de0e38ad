/// The link to another process that can run the session, such as the user's service.
protocol SessionLink: Sendable {
    /// Returns whether the process can be reached, and starts it if necessary. The next request reports why it cannot.
    func connects() async -> Bool
    /// Returns whether the process runs the session and the session can be watched.
    func isRunByService() async throws(TransferFailure) -> Bool
    /// Asks the process to give the session back, unless that would lose bytes.
    func release() async throws(TransferFailure)
    /// Makes the process wait for the session.
    func adopt() async throws(TransferFailure)
    /// Returns the session for calls and watches while the process runs it.
    func openBackend() async throws(TransferFailure) -> any SessionBackend & SessionMover
    /// Ends the link. The process reclaims the session once its lock is free.
    func close() async
}
