import DesktopKit

/// The episodes and their downloads. The main thread owns the library, and no method blocks it.
final class Library {
    /// The group of the downloads. The session also fetches the feed, without this group.
    nonisolated static let group = "episodes"

    private let appID: String
    private let folder: String
    /// The directory of the app's own data. The app creates it after it has set the session's rules, so that the next start sets
    /// them if the app is killed before.
    private let data: String
    private var feedPath: String { data + "/feed.json" }
    private var opening: Task<TransferSession, any Error>?
    private(set) var feed: Feed?
    private(set) var episodeOrder: [String] = []
    private(set) var downloads: Downloads?
    private(set) var usesMeteredNetwork = false
    private var episodes: [String: Episode] = [:]
    /// Called after the feed or a download has changed.
    var whenChanged: () -> Void = {}
    /// Called with a sentence for the user, and an optional button.
    var whenSaying: (_ text: String, _ button: Button?) -> Void = { _, _ in }

    /// Called when the user has clicked a notification of finished downloads, with the path if it is about a single one.
    var whenFinishedTapped: (_ path: String?) -> Void = { _ in }

    typealias Button = (label: String, act: () async throws -> Void)

    init(appID: String) {
        self.appID = appID
        folder = Files.folder(G_USER_DIRECTORY_VIDEOS, "Videos") + "/Screencasts"
        data = String(cString: g_get_user_data_dir()) + "/" + appID
        g_mkdir_with_parents(folder, 0o755)
    }

    /// Opens the session, and follows the downloads for as long as the app runs.
    func run() async throws {
        opening = nil
        // An unreadable copy of the feed is ignored: the user can fetch the feed again.
        if let kept = await Files.read(feedPath), feed == nil, let feed = try? await Feed(json: kept) { show(feed) }
        let session = try await session()
        usesMeteredNetwork = try await session.rules().conditions.allowsExpensiveNetworkAccess
        Task { try await takeEvents(of: session) }
        try await follow(session)
    }

    /// Returns the session, with its rules. All callers share one attempt to open it.
    func session() async throws -> TransferSession {
        let (appID, data) = (appID, data)
        let opening =
            self.opening
            ?? Task {
                var configuration = TransferSession.Configuration()
                var notifications = NotificationSettings(
                    appName: "Screencasts", icon: appID, desktopEntry: appID, kinds: [.finished, .failed, .needsYou])
                notifications.labels = Action.notificationLabels(cancel: tr("Cancel Download"))
                configuration.notifications = notifications
                configuration.wake = .dbus(appID: appID, sessionSendsLaunchEvents: false)
                let session = try await TransferSession.open(appID, configuration: configuration)
                if g_file_test(data, G_FILE_TEST_EXISTS) == 0 {
                    // Downloads over a metered network need the user's permission, so the first start forbids them.
                    try await Self.setMetered(false, session)
                    g_mkdir_with_parents(data, 0o755)
                }
                return session
            }
        self.opening = opening
        return try await opening.value
    }

    func item(_ id: String) -> Item {
        Item(id: id, episode: episodes[id], transfer: downloads?.transfers[id])
    }

    /// Fetches a feed from a URL, as a transfer that continues even if this app exits, or from a file.
    func load(_ address: String) async throws {
        let session = try await session()
        let json =
            if address.hasPrefix("/") { await Files.read(address) } else {
                try await session.request(address).response().body
            }
        try await session.removeAll(matching: TransferQuery(isEnded: true, direction: .request))
        guard let json else { throw TransferFailure(.sourceUnreadable, tr("%1 cannot be read.", address)) }
        show(try await Feed(json: json))
        _ = await Files.write(json, to: feedPath)
    }

    private func show(_ feed: Feed) {
        self.feed = feed
        episodeOrder = feed.episodes.map(\.id)
        episodes = Dictionary(feed.episodes.map { ($0.id, $0) }) { first, _ in first }
        whenChanged()
    }

    @concurrent private func follow(_ session: TransferSession) async throws {
        var list: [TransferSnapshot] = []
        for try await change in session.changes(matching: .group(Self.group)) {
            change.apply(to: &list)
            try await take(Downloads(list), isFirst: change.isInitial)
        }
    }

    private func take(_ new: Downloads, isFirst: Bool) async throws {
        downloads = new
        whenChanged()
        if isFirst { try await check() }
    }

    /// Handles clicks on notifications, which also start the app. A click on the notification of a finished download opens its file.
    @concurrent private func takeEvents(of session: TransferSession) async throws {
        for try await event in session.events {
            if case .notificationTapped(let tap) = event.kind, let id = tap.transfer {
                let snapshot = try? await session.transfer(id).snapshot()
                await openFinished(snapshot?.state == .succeeded ? snapshot?.path : nil)
            }
            try await session.acknowledge(event)
        }
    }

    private func openFinished(_ path: String?) { whenFinishedTapped(path) }

    func setMetered(_ uses: Bool) async throws {
        // Set before the session confirms it. Otherwise an update in between would move the switch back.
        usesMeteredNetwork = uses
        do {
            try await Self.setMetered(uses, session())
        } catch {
            usesMeteredNetwork = !uses
            whenChanged()
            throw error
        }
    }

    private static func setMetered(_ uses: Bool, _ session: TransferSession) async throws {
        var rules = try await session.rules()
        rules.conditions.allowsExpensiveNetworkAccess = uses
        try await session.setRules(rules)
    }

    /// Performs the action of an episode's button, except `play`, which needs a window.
    func perform(_ action: Action, on item: Item) async throws {
        let session = try await session()
        let transfer = item.transfer.map { session.transfer($0.id) }
        switch action {
        case .download: try await download([item.id])
        case .pause: try await transfer?.pause()
        case .resume: try await transfer?.resume()
        case .retry: try await transfer?.retry()
        case .cancel: try await transfer?.cancel()
        case .remove: try await transfer?.remove()
        case .delete: try await delete(item)
        case .play: break
        }
    }

    /// Submits the downloads of episodes in one step. Episodes that already have a download keep it.
    func download(_ ids: [String]) async throws {
        let specs = ids.compactMap { episodes[$0] }.map { episode in
            TransferSpec.download(
                from: episode.url, to: folder, fileName: episode.fileName, key: episode.id, group: Self.group)
        }
        for case .failure(let failure) in try await session().submit(specs) { throw failure }
    }

    /// Moves the file to the trash, then removes the download. If the app is killed in between, its next start finds a download
    /// without a file, and removes it.
    private func delete(_ item: Item) async throws {
        guard let known = item.transfer, let path = item.file else { return }
        try await Files.trash(path)
        try await session().transfer(known.id).remove()
        say(tr("“%1” is in the trash", item.title), downloadAgain([item.id]))
    }

    /// Compares downloads with files, in both directions. Removes downloads without a file, and tells the user about them and about
    /// files without a download.
    func check() async throws {
        let findings = try await session().reconcile()
        let missing = Set(findings.filter { $0.code == "fileMissing" }.map(\.transfer))
        let lost = downloads?.transfers.filter { missing.contains($0.value.id) } ?? [:]
        try await session().removeAll(matching: TransferQuery(ids: lost.values.map(\.id)))
        if let id = lost.keys.first {
            let what =
                lost.count == 1
                ? tr("The file of “%1” is gone", item(id).title)
                : tr("%1 file is gone", many: "%1 files are gone", lost.count)
            say(what, downloadAgain(Array(lost.keys)))
        }
        // Lists the files before the downloads: a file that arrives in between has a download.
        let videos = await Files.visible(in: folder)
        let owned = Set(try await session().snapshots(matching: .group(Self.group)).compactMap(\.path))
        let strays =
            findings.filter { $0.code == "partialForeign" }.compactMap(\.path) + videos.filter { !owned.contains($0) }
        guard let first = strays.first?.split(separator: "/").last else { return }
        say(
            strays.count == 1
                ? tr("“%1” belongs to no episode", String(first))
                : tr("%1 file belongs to no episode", many: "%1 files belong to no episode", strays.count),
            (
                Action.delete.word, { for path in strays { try await Files.trash(path) } }
            ))
    }

    private func downloadAgain(_ ids: [String]) -> Button {
        (Action.download.word, { [weak self] in try await self?.download(ids) })
    }

    private func say(_ text: String, _ button: Button? = nil) { whenSaying(text, button) }
}
