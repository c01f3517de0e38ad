import DesktopKit

/// What the app says of an episode. No countdowns: a text that changes by itself would wake the machine.
enum Wording {
    /// The second line of an episode: what it is while it is not here, else how it is doing.
    static func status(of episode: Episode?, _ transfer: TransferSnapshot?) -> String {
        guard let transfer else {
            return joined([episode?.date, episode?.seconds.map(TransferSnapshot.duration), episode?.size.map(size)])
        }
        let total = transfer.bytesTotal ?? episode?.size
        let done = size(transfer.bytesDone)
        let amount = done + (total.map { " of " + size($0) } ?? "")
        switch transfer.state {
        case .waiting(let waiting): return joined([transfer.bytesDone > 0 ? amount : nil, waiting.words])
        case .running(.preparing), .running(.sending), .awaitingResponse: return "Connecting"
        case .running(.receiving) where transfer.rate == 0: return joined([amount, "nothing moves right now"])
        case .running(.receiving):
            let left = total.map { TransferSnapshot.duration(($0 - transfer.bytesDone) / transfer.rate) + " left" }
            // A narrow window breaks the line between these, and not within them.
            return joined([amount, unbroken(rate(transfer.rate)), left.map(unbroken)])
        case .running(.verifying): return "Checking " + amount
        case .paused: return joined(["Paused", amount])
        case .succeeded: return joined(["Downloaded", done])
        case .failed(let failure): return failure.message
        case .cancelled: return "Cancelled"
        }
    }

    private static func unbroken(_ text: String) -> String {
        String(text.map { $0 == " " ? "\u{A0}" : $0 })
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

    private static func rate(_ bytesPerSecond: Int64) -> String { size(bytesPerSecond) + "/s" }

    private static func size(_ bytes: Int64) -> String { TransferSnapshot.size(bytes) }

    private static func joined(_ parts: [String?]) -> String {
        parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " · ")
    }
}
