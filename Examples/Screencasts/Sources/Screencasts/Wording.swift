import DesktopKit

/// What the app says of an episode. No countdowns: a text that changes by itself would wake the machine.
nonisolated enum Wording {
    /// The second line of an episode: what it is while it is not here, else how it is doing.
    static func status(of episode: Episode?, _ transfer: TransferSnapshot?) -> String {
        guard let transfer else {
            let length = episode?.seconds.map { duration(Int64($0)) }
            return joined([episode?.date, length, episode?.size.map(bytes)])
        }
        let total = transfer.bytesTotal ?? episode?.size
        let amount = bytes(transfer.bytesDone) + (total.map { " of " + bytes($0) } ?? "")
        switch transfer.state {
        case .waiting(let waiting):
            let next = waiting.until.flatMap(clock).map { "goes on at " + $0 }
            let why = waiting.message.hasSuffix(".") ? String(waiting.message.dropLast()) : waiting.message
            return joined([why, next, transfer.bytesDone > 0 ? amount : nil])
        case .running(.preparing), .running(.sending), .awaitingResponse: return "Connecting"
        case .running(.receiving): return joined([amount] + pace(transfer, total))
        case .running(.verifying): return "Checking " + amount
        case .paused: return joined(["Paused", amount])
        case .succeeded: return joined(["Downloaded", bytes(transfer.bytesDone)])
        case .failed(let failure): return failure.message
        case .cancelled: return "Cancelled"
        }
    }

    /// All downloads in one line.
    static func summary(_ progress: GroupProgress) -> String {
        let totals = progress.totals
        let counts = [
            (totals.running, "downloading"), (totals.waiting, "waiting"), (totals.paused, "paused"),
            (totals.failed, "failed"), (totals.succeeded, "downloaded"),
        ]
        return joined(counts.map { $0 > 0 ? "\($0) \($1)" : nil } + [progress.rate > 0 ? rate(progress.rate) : nil])
    }

    private static func pace(_ transfer: TransferSnapshot, _ total: Int64?) -> [String?] {
        guard transfer.rate > 0 else { return ["nothing moves right now"] }
        return [rate(transfer.rate), total.map { duration(($0 - transfer.bytesDone) / transfer.rate) + " left" }]
    }

    /// `12.3 MB`, in the words of the person's language.
    private static func bytes(_ count: Int64) -> String { taken(g_format_size(guint64(max(0, count)))) ?? "" }

    private static func rate(_ bytesPerSecond: Int64) -> String { bytes(bytesPerSecond) + "/s" }

    /// `8 s`, `3 min`, `1 h 5 min`.
    private static func duration(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(max(1, seconds)) s"
        case ..<3_600: "\(seconds / 60) min"
        default: "\(seconds / 3_600) h" + (seconds / 60 % 60 > 0 ? " \(seconds / 60 % 60) min" : "")
        }
    }

    private static func clock(_ time: WallTime) -> String? {
        guard let date = g_date_time_new_from_unix_local(gint64(time.seconds)) else { return nil }
        defer { g_date_time_unref(date) }
        return taken(g_date_time_format(date, "%H:%M"))
    }

    private static func joined(_ parts: [String?]) -> String {
        parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " · ")
    }

    private static func taken(_ text: UnsafeMutablePointer<gchar>?) -> String? {
        defer { g_free(text) }
        return text.map { String(cString: $0) }
    }
}
