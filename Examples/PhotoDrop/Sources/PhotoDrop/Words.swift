import DesktopKit

/// What a person is told of a photo.
struct Words {
    /// Below its name.
    var line: String
    /// The bar; `nil` for none.
    var fraction: Double?
    /// Whether it is red.
    var isError = false

    init(_ photo: TransferSnapshot) {
        fraction = photo.state.isEnded ? nil : photo.fraction
        switch photo.state {
        case .waiting(let waiting): line = Self.words(waiting)
        case .running(.preparing): line = "Looking at the photo"
        case .running: line = "\(Self.percent(photo.fraction)) of \(Self.size(photo.bytesTotal ?? 0))"
        case .awaitingResponse:
            line = "Sent, waiting for the server"
            fraction = 1
        case .paused: line = "Paused"
        case .succeeded: line = "In the album"
        case .failed(let failure):
            line = failure.code == .outcomeUnknown ? Self.unknown : failure.message
            isError = true
        case .cancelled: line = "Cancelled"
        }
    }

    /// What is known when the photo has left and the answer never came.
    private static let unknown =
        "Sent, but no answer came. It may be in the album already: look before you send it again."

    /// Why nothing moves, and that it goes on.
    static func words(_ waiting: Waiting) -> String {
        switch waiting.reason {
        case .turn: "Waits for its turn"
        case .network: "No network. It goes on when there is one."
        case .retry: (waiting.failure?.message ?? "It did not work.") + " It goes on by itself."
        case .serverBusy: "The server is busy. It goes on by itself."
        case .metered, .roaming, .budget: "Waits for a network that costs nothing"
        case .constrained, .battery, .power: "Waits to save power and traffic"
        case .diskSpace: "The disk is full. It goes on when there is room."
        case .credentials: "The server wants a password"
        case .notBefore, .hours: "Waits for its time"
        case .sleep: "Waits until the computer is awake again"
        }
    }

    static func percent(_ fraction: Double) -> String { "\(Int(fraction * 100)) %" }

    private static func size(_ bytes: Int64) -> String {
        guard let text = g_format_size(guint64(max(0, bytes))) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// `1 photo`, `3 photos`.
    static func photos(_ count: Int) -> String { count == 1 ? "1 photo" : "\(count) photos" }
}

extension TransferSnapshot {
    /// How much of it has left, 0 to 1.
    var fraction: Double {
        guard let total = bytesTotal, total > 0 else { return 0 }
        return min(1, Double(bytesDone) / Double(total))
    }

    var hasFailed: Bool { if case .failed = state { true } else { false } }

    /// Failed in a way that trying again cannot make worse.
    var mayBeTriedAgain: Bool {
        if case .failed(let failure) = state { failure.code != .outcomeUnknown } else { false }
    }
}
