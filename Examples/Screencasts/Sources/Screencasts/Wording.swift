import DesktopKit

/// The texts of episodes and downloads. They have no countdowns, because a text that changes every second wakes the computer.
enum Wording {
    /// Returns the second line of an episode: its date, length, and size, or the state of its download.
    static func status(of episode: Episode?, _ transfer: TransferSnapshot?) -> String {
        guard let transfer else {
            return joined([episode?.date, episode?.seconds.map(TransferSnapshot.duration), episode?.size.map(size)])
        }
        let total = transfer.bytesTotal ?? episode?.size
        let done = size(transfer.bytesDone)
        let amount = total.map { tr("%1 of %2", done, size($0)) } ?? done
        switch transfer.state {
        case .waiting(let waiting): return joined([transfer.bytesDone > 0 ? amount : nil, waiting.words])
        case .running(.preparing), .running(.sending), .awaitingResponse: return tr("Connecting")
        case .running(.receiving) where transfer.rate == 0: return joined([amount, tr("nothing moves right now")])
        case .running(.receiving):
            let left = total.map {
                tr("%1 left", TransferSnapshot.duration(($0 - transfer.bytesDone) / transfer.rate))
            }
            // In a narrow window, the line breaks between the rate and the remaining time, not within them.
            return joined([amount, unbroken(rate(transfer.rate)), left.map(unbroken)])
        case .running(.verifying): return tr("Checking %1", amount)
        case .running: return amount
        case .paused: return joined([tr("Paused"), amount])
        case .succeeded: return joined([tr("Downloaded"), done])
        case .failed(let failure): return failure.message
        case .cancelled: return tr("Cancelled")
        @unknown default: return amount
        }
    }

    private static func unbroken(_ text: String) -> String {
        String(text.map { $0 == " " ? "\u{A0}" : $0 })
    }

    /// Returns the summary of all downloads.
    static func summary(_ progress: GroupProgress) -> String {
        let counts = [
            progress.running > 0 ? tr("%1 downloading", "\(progress.running)") : nil,
            progress.waiting > 0 ? tr("%1 waiting", "\(progress.waiting)") : nil,
            progress.paused > 0 ? tr("%1 paused", "\(progress.paused)") : nil,
            progress.failed > 0 ? tr("%1 failed", "\(progress.failed)") : nil,
            progress.succeeded > 0 ? tr("%1 downloaded", "\(progress.succeeded)") : nil,
        ]
        return joined(counts + [progress.rate > 0 ? rate(progress.rate) : nil])
    }

    private static func rate(_ bytesPerSecond: Int64) -> String { size(bytesPerSecond) + "/s" }

    private static func size(_ bytes: Int64) -> String { TransferSnapshot.size(bytes) }

    private static func joined(_ parts: [String?]) -> String {
        parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " · ")
    }
}
