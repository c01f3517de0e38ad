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
nonisolated struct Item {
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

    enum Action {
        case download
        case pause
        case resume
        case retry
        case play

        /// What its button does with an episode of this title.
        func words(for title: String) -> String {
            switch self {
            case .download: tr("Download %1", title)
            case .pause: tr("Pause %1", title)
            case .resume: tr("Resume %1", title)
            case .retry: tr("Try again %1", title)
            case .play: tr("Play %1", title)
            }
        }

        var icon: String {
            switch self {
            case .download, .resume: "folder-download-symbolic"
            case .pause: "media-playback-pause-symbolic"
            case .retry: "view-refresh-symbolic"
            case .play: "media-playback-start-symbolic"
            }
        }

        /// Whether deleting it ends a download.
        var isUnderWay: Bool { self == .pause || self == .resume }
    }
}
