import DesktopKit

/// The downloads as the pages show them. A new value is made outside of the main thread after each change.
nonisolated struct Downloads: Sendable {
    /// The transfers by the identifier of their episode.
    private(set) var transfers: [String: TransferSnapshot] = [:]
    /// The identifiers of episodes: unfinished downloads in order of submission, then finished ones, newest first.
    private(set) var order: [String] = []
    let progress: GroupProgress

    init(_ list: [TransferSnapshot]) {
        var pending: [String] = []
        var done: [String] = []
        for transfer in list {
            guard let episode = transfer.key else { continue }
            transfers[episode] = transfer
            if transfer.state == .succeeded { done.append(episode) } else { pending.append(episode) }
        }
        order = pending + done.reversed()
        progress = GroupProgress(of: list)
    }
}

/// An episode of the feed, its download, or both.
struct Item {
    var id: String
    var episode: Episode?
    var transfer: TransferSnapshot?

    var title: String { episode?.title ?? transfer?.name ?? id }

    /// The path of the video; `nil` until the download has succeeded.
    var file: String? { transfer?.state == .succeeded ? transfer?.path : nil }

    /// The downloaded fraction, from 0 to 1; `nil` without a download and after its success.
    var fraction: Double? {
        guard let transfer, transfer.state != .succeeded else { return nil }
        guard let total = transfer.bytesTotal ?? episode?.size, total > 0 else { return 0 }
        return min(1, Double(transfer.bytesDone) / Double(total))
    }

    /// The action of the episode's button.
    var action: Action {
        switch transfer?.state {
        case nil: .download
        case .paused: .resume
        case .failed, .cancelled: .retry
        case .succeeded: .play
        default: .pause
        }
    }

    /// The action that cancels the download, or removes it or its file.
    var ending: Action {
        switch action {
        case .play: .delete
        case .retry: .remove
        default: .cancel
        }
    }
}
