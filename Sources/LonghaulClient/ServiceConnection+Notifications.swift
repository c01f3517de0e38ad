package import LonghaulCore

/// What a session tells a person.
extension ServiceConnection {
    /// Asks for something about a session's notifications, and answers how they stand then.
    package func notifications(
        _ request: NotificationRequest, of session: SessionID
    ) async throws(TransferFailure) -> NotificationStatus {
        guard case .notifications(let status) = try await ask(.notifications(request), of: session) else {
            throw .unexpectedAnswer
        }
        return status
    }
}
