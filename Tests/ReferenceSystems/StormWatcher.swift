import Longhaul

/// The app requests the weather at noon, whether it is running or not, and asks for a photo of a storm.
struct StormWatcher: ReferenceSystem {
    static let session = "org.example.storms"
    private static let noon = "org.example.storms.noon"
    private static let key = "weather"
    let platform: Platform

    init(_ platform: Platform) { self.platform = platform }

    func configure(_ configuration: inout TransferSession.Configuration) {
        configuration.notifications = NotificationSettings(appName: "Storms")
    }

    func register(_ tasks: BackgroundTasks) throws(TransferFailure) {
        try tasks.register(Self.noon) { [self] context in
            context.onExpiration { _ in platform.show("time is over") }
            // The next day. This request replaces the present one.
            try await platform.schedule(
                .appRefresh(Self.noon, repeats: .daily(hour: 12)), context.session)
            try await checkWeather(context.session)
        }
    }

    func open(_ session: TransferSession, _ lifecycle: ProcessLifecycle) async throws(TransferFailure) {
        // A platform that starts no app leaves its tasks to the user's next visit.
        try await session.tasks.runDue()
        if try await session.tasks.statuses().isEmpty {
            try await platform.schedule(.appRefresh(Self.noon), session)
        }
        platform.show("scheduled")
        for try await event in session.events {
            try await handle(event, of: session)
            try await session.acknowledge(event)
        }
    }

    func handle(_ event: SessionEvent, of session: TransferSession) async throws(TransferFailure) {
        switch event.kind {
        case .transferFinished(let snapshot) where snapshot.key == Self.key:
            try await report(session.transfer(snapshot.id), to: session)
        case .notificationTapped:
            try await session.upload(
                file: "\(platform.directory)/photo.jpg", to: "\(platform.server)/photos", key: "photo")
        default: break
        }
    }

    /// If the system ends the handler, the request continues, and its response starts the app.
    private func checkWeather(_ session: TransferSession) async throws(TransferFailure) {
        var options = TransferOptions()
        options.wakesAppWhenFinished = true
        try await report(session.request("\(platform.server)/weather", key: Self.key, options: options), to: session)
    }

    private func report(_ request: Transfer, to session: TransferSession) async throws(TransferFailure) {
        let weather = String(decoding: try await request.response().body, as: UTF8.self)
        platform.show("weather: \(weather)")
        if weather == "storm" {
            try await session.notify(LocalNotification("storm", title: "It is stormy", body: "Send a photo?"))
        }
        try await request.remove()
    }
}
