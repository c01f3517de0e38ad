import DesktopKit

/// What a person is told of a photo.
struct PhotoText {
    /// Below its name.
    var line: String
    /// The bar; `nil` for none.
    var fraction: Double?
    /// Whether it is red.
    var isError = false

    init(_ photo: TransferSnapshot) {
        fraction = photo.state.isEnded ? nil : photo.fractionCompleted ?? 0
        switch photo.state {
        // A form begins anew: what had left says nothing.
        case .waiting(let waiting): (line, fraction) = (waiting.words, nil)
        case .running(.preparing): line = tr("Looking at the photo")
        case .running: line = photo.progressWords
        case .awaitingResponse: (line, fraction) = (tr("Sent, waiting for the server"), 1)
        case .paused: line = tr("Paused")
        case .succeeded: line = tr("In the album")
        case .failed(let failure): (line, isError) = (Self.words(failure), true)
        case .cancelled: line = tr("Cancelled")
        @unknown default: line = photo.progressWords
        }
    }

    private static func words(_ failure: TransferFailure) -> String {
        // All that is known when the photo has left and the answer never came.
        failure.code == .outcomeUnknown
            ? tr("Sent, but no answer came. It may be in the album already: look before you send it again.")
            : failure.message
    }
}

extension TransferSnapshot {
    var hasFailed: Bool { if case .failed = state { true } else { false } }

    /// Failed in a way that trying again cannot make worse.
    var mayBeTriedAgain: Bool {
        if case .failed(let failure) = state { failure.code != .outcomeUnknown } else { false }
    }
}
