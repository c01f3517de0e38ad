/// The result of a transfer that has ended.
public struct TransferResult: Equatable, Sendable {
    /// How a transfer can end.
    public enum Ending: Equatable, Sendable {
        /// Done: a downloaded file is in its place, and an upload or request was answered with success.
        case succeeded
        /// The transfer failed; ``Transfer/retry()`` starts it again.
        case failed(TransferFailure)
        /// The transfer was cancelled.
        case cancelled
    }

    /// How the transfer ended.
    public var ending: Ending
    /// The finished file of a download.
    public var path: String?
    /// Whether the file may be cut: its server neither announced a length nor marked the end, and no digest was known.
    public var isLengthUnverified = false
    /// The kept response of an upload or a request; also of one that failed, when the server said why.
    public var response: ResponseSummary?

    /// Takes every value.
    package init(ending: Ending, path: String? = nil, response: ResponseSummary? = nil) {
        self.ending = ending
        self.path = path
        self.response = response
    }

    /// The failure; `nil` when it succeeded or was cancelled.
    public var failure: TransferFailure? {
        if case .failed(let failure) = ending { failure } else { nil }
    }

    init(of snapshot: TransferSnapshot, backend: any SessionBackend) async throws(TransferFailure) {
        switch snapshot.state {
        case .succeeded: ending = .succeeded
        case .failed(let failure): ending = .failed(failure)
        case .cancelled: ending = .cancelled
        case .waiting, .running, .awaitingResponse, .paused:
            preconditionFailure("\(snapshot.id) has not ended: \(snapshot.state)")
        }
        if snapshot.direction == .download {
            path = ending == .succeeded ? snapshot.path : nil
            isLengthUnverified = snapshot.isLengthUnverified
        } else {
            response = try await backend.show(snapshot.id).response
        }
    }
}
