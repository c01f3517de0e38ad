package import LonghaulCore
import LonghaulIPC

/// A session's events, and how its app is started for them.
extension ServiceConnection {
    /// The events after a number that are not acknowledged, as many as one answer holds.
    package func events(after number: Int64, of session: SessionID) async throws(TransferFailure) -> EventPage {
        guard case .events(let page) = try await send(.events(after: number), of: session) else {
            throw .unexpectedAnswer
        }
        return page
    }

    /// Forgets every event up to a number.
    package func acknowledgeEvents(
        through number: Int64, of session: SessionID
    ) async throws(TransferFailure) {
        guard case .wake = try await send(.acknowledgeEvents(through: number), of: session) else {
            throw .unexpectedAnswer
        }
    }

    /// How a session's app is started, and how that went.
    package func wakeStatus(of session: SessionID) async throws(TransferFailure) -> WakeStatus {
        guard case .wake(let status) = try await send(.wakeStatus, of: session) else { throw .unexpectedAnswer }
        return status
    }

    /// Sets how a session's app is started; `nil` for not at all.
    package func setWake(
        _ registration: WakeRegistration?, of session: SessionID
    ) async throws(TransferFailure) {
        guard case .wake = try await send(.setWake(registration), of: session) else { throw .unexpectedAnswer }
    }

    /// Marks this program as the session's present app for as long as the result is held: it is not started meanwhile.
    package func attach(_ session: SessionID) -> Attendance {
        Attendance(self, core.open(.attach(session), as: OpenStream.events))
    }
}
