import Glibc
public import Longhaul

/// Checks the weather every noon, even if its app is not running, and asks the user for a photo if it is stormy.
public struct StormWatch: Sendable {
    /// The addresses of the servers, and the path of the log.
    public struct Places: Sendable {
        /// The URL of a weather server, which responds with a line such as `Thunderstorm +17°C`.
        public var weather: String
        /// The URL below which photos are stored with PUT.
        public var album: String
        /// The path of the log with the weather reports.
        public var log: String

        /// Creates the places from their addresses.
        public init(weather: String, album: String, log: String) {
            self.weather = weather
            self.album = album
            self.log = log
        }
    }

    /// The texts of notifications.
    public struct Wording: Sendable {
        fileprivate let stormy, question, sent, severalSent: String

        /// Creates the texts. `tr` translates each of them.
        public init(_ tr: (String) -> String = { $0 }) {
            stormy = tr("It is stormy")
            question = tr("Send a photo?")
            sent = tr("Your photo is in the album")
            severalSent = tr("{count} photos are in the album")
        }
    }

    /// The group of the photos' uploads.
    public static let photos = "photos"
    private static let noon = "noon"
    private static let storm = "storm"
    private static let weather = "weather"

    /// The session with the requests and uploads. Its events start the app.
    public let session: TransferSession
    /// The weather reports so far.
    public let log: WeatherLog
    private let whenNoted: @Sendable () -> Void
    private let whenSent: @Sendable () -> Void
    private let weather: String
    private let looks = ActiveFetches()
    private let album: String
    private let wording: Wording

    /// Opens the session and registers the handler of the task. Calls `whenNoted` after each new weather report, and `whenSent`
    /// after each photo that has reached the album.
    public init(
        _ places: Places, wake: WakeRegistration, icon: String = "weather-storm", wording: Wording = Wording(),
        whenNoted: @escaping @Sendable () -> Void = {}, whenSent: @escaping @Sendable () -> Void = {}
    ) async throws(TransferFailure) {
        self.wording = wording
        self.whenNoted = whenNoted
        self.whenSent = whenSent
        var configuration = TransferSession.Configuration()
        configuration.wake = wake
        var notifications = NotificationSettings(
            appName: "Stormy", icon: icon, desktopEntry: "io.longhaul.Stormy", kinds: [.finished, .failed])
        // Notifications are for photos. A finished weather request needs none.
        notifications.coversOnlyChosenTransfers = true
        notifications.wordings[.finished] = .init(wording.sent, body: "{name}", severalTitle: wording.severalSent)
        configuration.notifications = notifications
        session = try await TransferSession.open("io.longhaul.Stormy", configuration: configuration)
        weather = places.weather
        album = places.album
        log = WeatherLog(path: places.log)
        try session.tasks.register(Self.noon) { [self] in try await look(attempt: $0.attempt) }
    }

    /// Requests a start each noon. Call this at each launch, before `runDue`.
    public func schedule() async throws(TransferFailure) {
        try await session.tasks.submit(.appRefresh(Self.noon, repeats: .daily(hour: 12)))
    }

    /// Returns the time of the next check; `nil` if none is scheduled.
    public func nextCheck() async throws(TransferFailure) -> WallTime? {
        try await session.tasks.statuses().first { $0.identifier == Self.noon }?.nextDate
    }

    /// Runs due tasks and handles the events for which the app was started. `takePhotos` returns the files that the user wants
    /// to send.
    public func runDue(takePhotos: @Sendable () async -> [String]) async throws(TransferFailure) {
        try await session.tasks.runDue()
        for event in try await session.pendingEvents() { try await take(event, takePhotos) }
    }

    /// Runs tasks and handles events as they come, while the app is open.
    public func stay(takePhotos: @Sendable () async -> [String]) async throws(TransferFailure) {
        let running = Task { try await session.tasks.run() }
        defer { running.cancel() }
        for try await event in session.events { try await take(event, takePhotos) }
    }

    /// Requests the weather. If that takes longer than the system allows, the system cancels this task. The request continues, and
    /// its response starts the app again.
    public func look(attempt: Int = 1) async throws(TransferFailure) {
        // An earlier attempt may have logged the report and crashed before the notification.
        if attempt > 1, let last = log.answers.last, last.isSinceNoon(of: time(nil)) { return try await tell(last) }
        looks.begin()
        defer { looks.end() }
        var options = TransferOptions()
        options.wakesAppWhenFinished = true
        // The key is that of the day. If the response of yesterday was not read, it arrives as an event.
        let request = try await session.request(
            weather, key: "weather \(time(nil) / 86_400)", group: Self.weather, options: options)
        let response = try await request.response()
        try await request.remove()
        guard let weather = Weather(response, at: time(nil)) else {
            throw TransferFailure(.protocolViolation, "The weather server sent \(response.status) and no weather.")
        }
        try await note(weather)
    }

    /// Handles an event: stores its result, then acknowledges it.
    private func take(
        _ event: SessionEvent, _ takePhotos: @Sendable () async -> [String]
    ) async throws(TransferFailure) {
        switch event.kind {
        case .transferFinished(let snapshot):
            // A check that is waiting for this response in this process handles it, unless the check was cancelled.
            if snapshot.group == Self.weather { await looks.settle() }
            do throws(TransferFailure) { try await take(snapshot) } catch {
                guard error.code == .unknownTransfer else { throw error }
            }
        case .notificationTapped(let tap) where tap.identifier == Self.storm:
            for (index, photo) in await takePhotos().enumerated() {
                try await send(photo, key: "storm-\(event.number)-\(index)")
            }
        default: break
        }
        try await session.acknowledge(event)
    }

    private func take(_ snapshot: TransferSnapshot) async throws(TransferFailure) {
        let transfer = session.transfer(snapshot.id)
        if snapshot.group == Self.weather, let answer = try? await transfer.response(),
            let weather = Weather(answer, at: Int((snapshot.endedAt ?? snapshot.createdAt).seconds))
        {
            try await note(weather)
        }
        guard snapshot.group == Self.photos else { return try await transfer.remove() }
        // A failed photo stays in the list, so that the user can retry it.
        guard snapshot.state == .succeeded else { return }
        try await transfer.remove()
        whenSent()
    }

    /// Uploads a photo to the album. The upload continues without the app. Two calls with the same key send the photo once.
    public func send(_ photo: String, key: String) async throws(TransferFailure) {
        var options = TransferOptions()
        options.showsNotifications = true
        try await session.upload(
            file: photo, to: "\(album)/\(key).jpg", key: key, group: Self.photos, options: options)
    }

    private func note(_ weather: Weather) async throws(TransferFailure) {
        guard log.answers.last?.at == weather.at || log.add(weather) else {
            throw TransferFailure(.fileFailed, "\(log.path) cannot be written. Look whether there is room.")
        }
        whenNoted()
        try await tell(weather)
    }

    private func tell(_ weather: Weather) async throws(TransferFailure) {
        guard weather.isStormy else { return }
        let body = "\(weather.sky), \(weather.temperature). \(wording.question)"
        try await session.notify(LocalNotification(Self.storm, title: wording.stormy, body: body))
    }
}

extension Weather {
    init?(_ answer: Response, at: Int) {
        guard answer.status == 200 else { return nil }
        self.init(String(decoding: answer.body, as: UTF8.self), at: at)
    }
}
