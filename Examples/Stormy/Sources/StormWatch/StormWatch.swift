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

    /// Keeps the requests, and is what the app is started for.
    public let session: TransferSession
    /// What was answered so far.
    public let log: WeatherLog
    /// Called when there is an answer more.
    public var whenNoted: @Sendable () -> Void = {}
    /// Called when a photo is in the album.
    public var whenSent: @Sendable () -> Void = {}
    private let weather: DataRequest
    private let looks = Looks()
    private let album: String
    private let wording: Wording

    /// Opens the session. `wake` says how the app is started when it is not there.
    public init(
        _ places: Places, wake: WakeRegistration, icon: String = "weather-storm", wording: Wording = Wording()
    ) async throws(TransferFailure) {
        self.wording = wording
        var configuration = TransferSession.Configuration()
        configuration.wake = wake
        var notifications = NotificationSettings(
            appName: "Stormy", icon: icon, desktopEntry: "io.longhaul.Stormy", kinds: [.finished, .failed])
        // Of photos only: nobody wants to hear that a weather report has come.
        notifications.coverage = .chosen
        notifications.wordings[.finished] = NotificationWording(
            one: NotificationText(wording.sent, body: "{name}"),
            several: NotificationText(wording.severalSent))
        configuration.notifications = notifications
        session = try await TransferSession.open("io.longhaul.Stormy", configuration: configuration)
        weather = DataRequest(places.weather)
        album = places.album
        log = WeatherLog(path: places.log)
    }

    /// Asks for a start each noon, unless that was done before.
    public func schedule() async throws(TransferFailure) {
        guard try await nextCheck() == nil else { return }
        try await BackgroundTasks(session).submit(.appRefresh(Self.noon, repeats: .daily(hour: 12)))
    }

    /// When the sky is looked at next.
    public func nextCheck() async throws(TransferFailure) -> WallTime? {
        try await BackgroundTasks(session).statuses().first { $0.identifier == Self.noon }?.nextDate
    }

    /// Does what the app was started for; `takePhotos` gives the files when a person wants to send some.
    public func runDue(takePhotos: @Sendable () async -> [String]) async throws(TransferFailure) {
        try await tasks().runDue()
        for event in try await session.pendingEvents() { try await take(event, takePhotos) }
    }

    /// Does the same as it comes, while the app is open anyway.
    public func stay(takePhotos: @Sendable () async -> [String]) async throws(TransferFailure) {
        let tasks = tasks()
        let running = Task { try await tasks.run() }
        defer { running.cancel() }
        for try await event in session.events { try await take(event, takePhotos) }
    }

    private func tasks() -> BackgroundTasks {
        let tasks = BackgroundTasks(session)
        tasks.register(Self.noon) { try await look(attempt: $0.run.attempt) }
        return tasks
    }

    /// Asks what the weather is. When it takes longer than the system allows, this is cancelled and the request goes on; its
    /// answer starts the app again.
    public func look(attempt: Int = 1) async throws(TransferFailure) {
        // An earlier try may have come this far, and crashed.
        if attempt > 1, let last = log.answers.last, last.isSinceNoon(of: time(nil)) { return try await tell(last) }
        looks.begin()
        defer { looks.end() }
        let answer = try await session.data(for: weather)
        guard let weather = Weather(answer, at: time(nil)) else {
            throw TransferFailure(
                .protocolViolation, "The weather server answered, with \(answer.status) and no weather.")
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
            if snapshot.key == weather.key { await looks.settle() }
            do throws(TransferFailure) { try await take(snapshot) } catch {
                guard error.code == .unknownTransfer else { throw error }
            }
        case .notificationTapped(let tap) where tap.identifier == Self.storm:
            for (index, photo) in await takePhotos().enumerated() {
                try await send(photo, key: "storm-\(event.number)-\(index)")
            }
        case .allTransfersFinished, .needsCredentials, .notificationTapped: break
        }
        try await session.acknowledge(event)
    }

    private func take(_ snapshot: TransferSnapshot) async throws(TransferFailure) {
        let transfer = session.handle(for: snapshot)
        if snapshot.key == weather.key, let answer = try await transfer.result().response,
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
        options.notifications = .always
        options.group = Self.photos
        _ = try await session.upload(file: photo, to: "\(album)/\(key).jpg", key: key, options: options)
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
        let body = "\(weather.sky), \(weather.degrees) °C. \(wording.question)"
        try await session.notify(PlainNotification(Self.storm, title: wording.stormy, body: body))
    }
}

extension Weather {
    init?(_ answer: ResponseSummary, at: Int) {
        guard answer.status == 200 else { return nil }
        self.init(String(decoding: answer.body, as: UTF8.self), at: at)
    }
}
