import DesktopKit

/// The texts of a photo's row.
struct PhotoText {
    /// The line below the photo's name.
    var line: String
    /// The value of the progress bar; `nil` for no bar.
    var fraction: Double?
    /// Whether the line is red.
    var isError = false

    init(_ photo: TransferSnapshot) {
        fraction = photo.state.isEnded ? nil : photo.fractionCompleted ?? 0
        switch photo.state {
        // A retry sends the whole form again, so earlier progress is meaningless.
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
        // The photo was sent, but the server's response was lost.
        failure.code == .outcomeUnknown
            ? tr("Sent, but no answer came. It may be in the album already: look before you send it again.")
            : failure.message
    }
}

extension TransferSnapshot {
    var hasFailed: Bool { if case .failed = state { true } else { false } }

    /// Whether the upload failed and a retry cannot send the photo twice.
    var mayBeTriedAgain: Bool {
        if case .failed(let failure) = state { failure.code != .outcomeUnknown } else { false }
    }
}
