/// The result of a transfer that has ended.
package struct TransferResult: Equatable, Sendable {
    /// How a transfer can end.
    package enum Ending: Equatable, Sendable {
        case succeeded
        case failed(TransferFailure)
        case cancelled
    }

    package var ending: Ending
    /// The finished file of a download.
    package var path: String?
    /// As in ``TransferSnapshot/isLengthUnverified``.
    package var isLengthUnverified = false
    /// The stored response of an upload or a request, even if it failed.
    package var response: Response?

    package init(ending: Ending, path: String? = nil, response: Response? = nil) {
        self.ending = ending
        self.path = path
        self.response = response
    }

    package var failure: TransferFailure? {
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
