import DesktopKit

/// The downloads as the screens show them: made anew, away from the main thread, each time something has changed.
nonisolated struct Downloads: Sendable {
    /// By episode.
    private(set) var transfers: [String: TransferSnapshot] = [:]
    /// What is not done yet in order of submission, then what is, the newest first.
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

/// All that is known of one episode.
struct Item {
    var id: String
    var episode: Episode?
    var transfer: TransferSnapshot?

    var title: String { episode?.title ?? transfer?.name ?? id }

    /// What can be played.
    var file: String? { transfer?.state == .succeeded ? transfer?.path : nil }

    /// How much of it is here, from 0 to 1; `nil` while that means nothing.
    var fraction: Double? {
        guard let transfer, transfer.state != .succeeded else { return nil }
        guard let total = transfer.bytesTotal ?? episode?.size, total > 0 else { return 0 }
        return min(1, Double(transfer.bytesDone) / Double(total))
    }

    /// What its button does.
    var action: Action {
        switch transfer?.state {
        case nil: .download
        case .paused: .resume
        case .failed, .cancelled: .retry
        case .succeeded: .play
        default: .pause
        }
    }

    /// What ends its download, or removes what is left of it.
    var ending: Action {
        switch action {
        case .play: .delete
        case .retry: .remove
        default: .cancel
        }
    }
}
