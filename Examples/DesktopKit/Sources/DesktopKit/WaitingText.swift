extension TransferState.Waiting {
    /// The reason of the wait and the condition for its end, for the user.
    public var words: String {
        switch reason {
        case .turn: tr("Waiting for its turn")
        case .notBefore, .hours: tr("Waiting for its time")
        case .retry: tr("%1 It will be retried automatically.", failure?.message ?? tr("It did not work."))
        case .network: tr("No network. It continues when there is one.")
        case .diskSpace: tr("The disk is full. It continues when there is room.")
        case .credentials: tr("The server wants a password")
        case .serverBusy: tr("The server is busy. It continues automatically.")
        case .metered: tr("Waiting for an unmetered network")
        case .constrained: tr("Waiting: data saver is on")
        case .roaming: tr("Waiting until roaming ends")
        case .power: tr("Waiting for external power")
        case .battery: tr("Waiting for a charged battery")
        case .budget: tr("This month's data is used up. It continues next month, or on another network.")
        case .sleep: tr("Waiting until the computer is awake again")
        case .predecessor: tr("Waiting for another transfer to end")
        case .link: tr("Waiting for another kind of network")
        case .idle: tr("Waiting until the computer is idle")
        case .clock: tr("Waiting until the clock of this computer is right")
        case .mount: tr("The drive is not mounted. It continues when it is.")
        case .unlock: tr("Waiting until the device is unlocked")
        @unknown default: tr("Waiting for its turn")
        }
    }
}

extension TransferSnapshot {
    /// Returns the state in one line. `done` is the text for success.
    public func words(done: String) -> String {
        switch state {
        case .waiting(let waiting): waiting.words
        case .running: progressWords
        case .awaitingResponse: tr("Sent, waiting for the server")
        case .paused: tr("Paused")
        case .succeeded: done
        case .failed(let failure): failure.message
        case .cancelled: tr("Cancelled")
        @unknown default: progressWords
        }
    }

    /// The progress, such as `42% of 100.0 MiB`.
    public var progressWords: String {
        tr("%1% of %2", "\(Int((fractionCompleted ?? 0) * 100))", Self.size(bytesTotal ?? 0))
    }

    /// Returns a number of bytes as `longhaul` prints it: `999 B`, `1.5 KiB`, `12.3 MiB`.
    public static func size(_ bytes: Int64) -> String {
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        guard bytes >= 1_024 else { return "\(max(0, bytes)) B" }
        var (tenths, unit) = (bytes / 1_024 * 10 + bytes % 1_024 * 10 / 1_024, 0)
        while tenths >= 10_240 && unit < units.count - 1 { (tenths, unit) = (tenths / 1_024, unit + 1) }
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// Returns a duration in seconds as text: `8 s`, `3 min`, `1 h 5 min`.
    public static func duration(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: tr("%1 s", "\(max(1, seconds))")
        case ..<3_600: tr("%1 min", "\(seconds / 60)")
        case _ where seconds / 60 % 60 == 0: tr("%1 h", "\(seconds / 3_600)")
        default: tr("%1 h %2 min", "\(seconds / 3_600)", "\(seconds / 60 % 60)")
        }
    }
}
