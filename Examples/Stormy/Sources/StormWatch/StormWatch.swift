import Glibc
public import Longhaul

/// Looks at the weather each noon, whether its app is there or not, and asks for a photo when it is stormy.
public struct StormWatch: Sendable {
    /// Where things are.
    public struct Places: Sendable {
        /// A weather server's URL that answers with a line such as `Thunderstorm +17°C`.
        public var weather: String
        /// The URL under which photos are put.
        public var album: String
        /// The file with the answers.
        public var log: String

        /// Takes them.
        public init(weather: String, album: String, log: String) {
            self.weather = weather
            self.album = album
            self.log = log
        }
    }

    /// What a person is told.
    public struct Wording: Sendable {
        fileprivate let stormy, question, sent, severalSent: String

        /// Takes the texts in the language that `tr` gives them.
        public init(_ tr: (String) -> String = { $0 }) {
            stormy = tr("It is stormy")
            question = tr("Send a photo?")
            sent = tr("Your photo is in the album")
            severalSent = tr("{count} photos are in the album")
        }
    }

    /// The group of the photos.
    public static let photos = "photos"
    private static let noon = "noon"
    private static let storm = "storm"
    private static let weather = "weather"

    /// Keeps the requests, and is what the app is started for.
    public let session: TransferSession
    /// What was answered so far.
    public let log: WeatherLog
    private let whenNoted: @Sendable () -> Void
    private let whenSent: @Sendable () -> Void
    private let weather: String
    private let looks = ActiveFetches()
    private let album: String
    private let wording: Wording

    /// Opens the session and registers the handler of the task. Calls `whenNoted` after each new answer, and `whenSent` after each photo
    /// that reached the album.
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
        // Of photos only: nobody wants to hear that a weather report has come.
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

    /// When the sky is looked at next.
    public func nextCheck() async throws(TransferFailure) -> WallTime? {
        try await session.tasks.statuses().first { $0.identifier == Self.noon }?.nextDate
    }

    /// Does what the app was started for; `takePhotos` gives the files when a person wants to send some.
    public func runDue(takePhotos: @Sendable () async -> [String]) async throws(TransferFailure) {
        try await session.tasks.runDue()
        for event in try await session.pendingEvents() { try await take(event, takePhotos) }
    }

    /// Does the same as it comes, while the app is open anyway.
    public func stay(takePhotos: @Sendable () async -> [String]) async throws(TransferFailure) {
        let running = Task { try await session.tasks.run() }
        defer { running.cancel() }
        for try await event in session.events { try await take(event, takePhotos) }
    }

    /// Asks what the weather is. When it takes longer than the system allows, this is cancelled and the request goes on; its
    /// answer starts the app again.
    public func look(attempt: Int = 1) async throws(TransferFailure) {
        // An earlier try may have come this far, and crashed.
        if attempt > 1, let last = log.answers.last, last.isSinceNoon(of: time(nil)) { return try await tell(last) }
        looks.begin()
        defer { looks.end() }
        var options = TransferOptions()
        options.wakesAppWhenFinished = true
        // One request for each day: a response that was not read on the day before is an event.
        let request = try await session.request(
            weather, key: "weather \(time(nil) / 86_400)", group: Self.weather, options: options)
        let response = try await request.response()
        try await request.remove()
        guard let weather = Weather(response, at: time(nil)) else {
            throw TransferFailure(.protocolViolation, "The weather server sent \(response.status) and no weather.")
        }
        try await note(weather)
    }

    /// Takes in one thing that has happened: it is written down, then acknowledged.
    private func take(
        _ event: SessionEvent, _ takePhotos: @Sendable () async -> [String]
    ) async throws(TransferFailure) {
        switch event.kind {
        case .transferFinished(let snapshot):
            // Who waits for it in this process takes it, unless it was cancelled first.
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
        // A photo that failed stays, to be tried again.
        guard snapshot.state == .succeeded else { return }
        try await transfer.remove()
        whenSent()
    }

    /// Puts a photo into the album. It goes on without the app; asked for twice under one key it is sent once.
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
