package import LonghaulCore

/// Notifications of a session.
extension ServiceConnection {
    /// Performs a request about a session's notifications, and returns their new status.
    package func notifications(
        _ request: NotificationRequest, of session: SessionID
    ) async throws(TransferFailure) -> NotificationStatus {
        guard case .notifications(let status) = try await send(.notifications(request), of: session) else {
            throw .unexpectedAnswer
        }
        return status
    }
}
