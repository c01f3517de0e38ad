import DesktopKit

/// The episodes and what was downloaded of them. The main thread owns it and never waits for anything here.
final class Library {
    /// The group of the downloads: the session also fetches the feed.
    nonisolated static let group = "episodes"

    private let appID: String
    private let folder: String
    /// What the app keeps for itself. It is made when the session has its rules: an app that dies before begins anew.
    private let data: String
    private var feedPath: String { data + "/feed.json" }
    private var opening: Task<TransferSession, any Error>?
    private(set) var feed: Feed?
    private(set) var episodeOrder: [String] = []
    private(set) var downloads: Downloads?
    private(set) var usesMeteredNetwork = false
    private var episodes: [String: Episode] = [:]
    /// Called when anything has changed.
    var whenChanged: () -> Void = {}
    /// Called with a sentence for the person, and perhaps a button.
    var whenSaying: (_ text: String, _ button: Button?) -> Void = { _, _ in }

    /// A person has clicked on the notification that downloads are done; the newest one's file, if it is about one.
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
        // A feed that cannot be read is fetched again.
        if let kept = await Files.read(feedPath), feed == nil, let feed = try? await Feed(json: kept) { show(feed) }
        let session = try await session()
        usesMeteredNetwork = try await session.rules().conditions.allowsExpensiveNetworkAccess
        Task { try await takeEvents(of: session) }
        try await follow(session)
    }

    /// The session, with its rules; whoever asks while it is being opened waits for that.
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
                    // At the first start, what may cost money waits for the person's word.
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

    /// Fetches a feed from a URL, as a transfer that arrives even if this app does not stay, or from a file.
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

    /// The app is started for a click on a notification: one that says that a download is done opens its file.
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
        // At once, so that the switch stays as it was put.
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

    /// Does what the button of an episode says; playing is for a window.
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

    /// Asks for episodes, in one step for all of them. What is asked for already stays as it is.
    func download(_ ids: [String]) async throws {
        let specs = ids.compactMap { episodes[$0] }.map { episode in
            TransferSpec.download(
                from: episode.url, to: folder, fileName: episode.fileName, key: episode.id, group: Self.group)
        }
        for case .failure(let failure) in try await session().submit(specs) { throw failure }
    }

    /// Puts its file into the trash, then forgets the download. An app that dies in between finds a download without a
    /// file at its next start, and forgets it then.
    private func delete(_ item: Item) async throws {
        guard let known = item.transfer, let path = item.file else { return }
        try await Files.trash(path)
        try await session().transfer(known.id).remove()
        say(tr("“%1” is in the trash", item.title), downloadAgain([item.id]))
    }

    /// Compares downloads with files, both ways, mends what does not agree, and says so.
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
        // First the files: whatever is put there meanwhile has a download.
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
