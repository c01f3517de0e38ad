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

    private static let noon = "noon"
    private static let storm = "storm"

    /// Keeps the requests, and is what the app is started for.
    public let session: TransferSession
    /// What was answered so far.
    public let log: WeatherLog
    private let weather: DataRequest
    private let album: String

    /// Opens the session. `wake` says how the app is started when it is not there.
    public init(_ places: Places, wake: WakeMethod, icon: String = "weather-storm") async throws(TransferFailure) {
        var configuration = TransferSession.Configuration()
        configuration.wake = WakeRegistration(wake)
        var notifications = NotificationSettings(
            appName: "Stormy", icon: icon, desktopEntry: "io.longhaul.Stormy", kinds: [.finished, .failed])
        // Of photos only: nobody wants to hear that a weather report has come.
        notifications.coverage = .chosen
        notifications.wordings[.finished] = NotificationWording(
            one: NotificationText("Your photo is in the album", body: "{name}"),
            several: NotificationText("{count} photos are in the album"))
        configuration.notifications = notifications
        session = try await TransferSession.open("io.longhaul.Stormy", configuration: configuration)
        weather = DataRequest(places.weather)
        album = places.album
        log = WeatherLog(path: places.log)
    }

    /// Asks for a start each noon. Asked again it changes nothing.
    public func schedule() async throws(TransferFailure) {
        try await BackgroundTasks(session).submit(.appRefresh(Self.noon, repeats: .daily(hour: 12)))
    }

    /// Does what the app was started for; `takePhoto` gives the file of a photo when a person wants to send one.
    public func runDue(takePhoto: @Sendable () async -> String?) async throws(TransferFailure) {
        let tasks = BackgroundTasks(session)
        tasks.register(Self.noon) { try await look(attempt: $0.run.attempt) }
        try await tasks.runDue()
        try await takeIn(takePhoto: takePhoto)
    }

    /// Asks what the weather is. When it takes longer than the system allows, this is cancelled and the request goes on; its
    /// answer starts the app again.
    public func look(attempt: Int = 1) async throws(TransferFailure) {
        // An earlier try may have come this far, and crashed.
        if attempt > 1, let last = log.answers.last, last.isSameDay(as: time(nil)) { return try await tell(last) }
        let answer = try await session.data(for: weather)
        guard let weather = Weather(answer, at: time(nil)) else {
            throw TransferFailure(
                .protocolViolation, "The weather server answered, with \(answer.status) and no weather.")
        }
        try await note(weather)
    }

    /// Takes in what has happened while the app was not there. Each thing is written down, then acknowledged.
    public func takeIn(takePhoto: @Sendable () async -> String?) async throws(TransferFailure) {
        for event in try await session.pendingEvents() {
            switch event.kind {
            case .transferFinished(let snapshot):
                let transfer = session.handle(for: snapshot)
                if snapshot.key == weather.key, let answer = try await transfer.result().response,
                    let weather = Weather(answer, at: Int((snapshot.endedAt ?? event.at).seconds))
                {
                    try await note(weather)
                }
                try await transfer.acknowledge()
            case .notificationTapped(let tap) where tap.identifier == Self.storm:
                if let photo = await takePhoto() { try await send(photo, key: "storm-\(event.number)") }
            case .allTransfersFinished, .needsCredentials, .notificationTapped: break
            }
            try await session.acknowledge(event)
        }
    }

    /// Puts a photo into the album. It goes on without the app; asked for twice under one key it is sent once.
    public func send(_ photo: String, key: String) async throws(TransferFailure) {
        var options = TransferOptions()
        options.notifications = .always
        options.group = "photos"
        _ = try await session.upload(file: photo, to: "\(album)/\(key).jpg", key: key, options: options)
    }

    private func note(_ weather: Weather) async throws(TransferFailure) {
        guard log.answers.last?.at == weather.at || log.add(weather) else {
            throw TransferFailure(.fileFailed, "\(log.path) cannot be written. Look whether there is room.")
        }
        try await tell(weather)
    }

    private func tell(_ weather: Weather) async throws(TransferFailure) {
        guard weather.isStormy else { return }
        let body = "\(weather.sky), \(weather.degrees) °C. Send a photo?"
        try await session.notify(PlainNotification(Self.storm, title: "It is stormy", body: body))
    }
}

extension Weather {
    init?(_ answer: ResponseSummary, at: Int) {
        guard answer.status == 200 else { return nil }
        self.init(String(decoding: answer.body, as: UTF8.self), at: at)
    }
}
