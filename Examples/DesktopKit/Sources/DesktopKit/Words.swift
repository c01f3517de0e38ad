extension Waiting {
    /// Why nothing moves, and what ends that, for a person.
    public var words: String {
        switch reason {
        case .turn: "Waits for its turn"
        case .notBefore, .hours: "Waits for its time"
        case .retry: (failure?.message ?? "It did not work.") + " It goes on by itself."
        case .network: "No network. It goes on when there is one."
        case .diskSpace: "The disk is full. It goes on when there is room."
        case .credentials: "The server wants a password"
        case .serverBusy: "The server is busy. It goes on by itself."
        case .metered: "Waits for a network that is not metered"
        case .constrained: "Waits for a network where traffic is welcome"
        case .roaming: "Waits until it is no longer roaming"
        case .power: "Waits for power"
        case .battery: "Waits until the battery is charged"
        case .budget: "The traffic of this month is used up. It goes on with the next, or on another network."
        case .sleep: "Waits until the computer is awake again"
        case .predecessor: "Waits for another transfer to end"
        case .link: "Waits for another kind of network"
        case .idle: "Waits until nobody uses the computer"
        }
    }
}

extension TransferSnapshot {
    /// How it is, in a line for a person; `done` is what is said when it has succeeded.
    public func words(done: String) -> String {
        switch state {
        case .waiting(let waiting): waiting.words
        case .running: progressWords
        case .awaitingResponse: "Sent, waiting for the server"
        case .paused: "Paused"
        case .succeeded: done
        case .failed(let failure): failure.message
        case .cancelled: "Cancelled"
        }
    }

    /// How much of it is moved, as `42% of 104.9 MB`.
    public var progressWords: String { "\(Int((fractionCompleted ?? 0) * 100))% of \(Self.size(bytesTotal ?? 0))" }

    /// A number of bytes as people write it.
    public static func size(_ bytes: Int64) -> String {
        guard let text = g_format_size(guint64(max(0, bytes))) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
    /// A length of time as people say it, in seconds: `8 s`, `3 min`, `1 h 5 min`.
    public static func duration(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(max(1, seconds)) s"
        case ..<3_600: "\(seconds / 60) min"
        default: "\(seconds / 3_600) h" + (seconds / 60 % 60 > 0 ? " \(seconds / 60 % 60) min" : "")
        }
    }
}
