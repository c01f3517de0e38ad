import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import TestSupport
import Testing

/// The service, a real bus, and a server whose every call is logged.
@Suite(
    .timeLimit(.minutes(5)), .onEachTransport, .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"),
    .enabled(if: NotificationWorld.missing == nil, "\(NotificationWorld.missing ?? "")"))
struct NotifierTests {
    @Test func tapOnNotificationWakesApp() async throws {
        let world = try await NotificationWorld()
        let mock = try await world.startMock()
        let service = try await RunningService(in: world.wake.product)
        let connection = try await service.connect()
        try world.wake.set(.acknowledge)
        try await world.set(connection) { settings in
            settings.wordings[.finished] = NotificationWording(
                one: NotificationText("<Fertig>", body: "{name} & mehr"), several: NotificationText("{count} fertig"))
            settings.labels[.open] = "Zeigen"
        }
        try await world.wake.finishOne(connection)
        let shown = try await mock.notified(1)
        #expect(shown.contains("\"Photos\" 0 \"image-x-generic\" \"<Fertig>\" \"GET /ok &amp; mehr\""), "\(shown)")
        #expect(shown.contains("[\"default\", \"Zeigen\"]"), "\(shown)")
        #expect(shown.contains("\"desktop-entry\": \"org.example.Photos\""), "\(shown)")
        #expect(shown.contains("\"category\": \"transfer.complete\""), "\(shown)")
        try await world.emit("ActionInvoked", "us", "77", "default")
        try await world.emit("ActivationToken", "us", "1", "token-9")
        try await world.emit("ActionInvoked", "us", "1", "default")
        try await world.wake.wait("tapped transfers ")
        let page = try await connection.list(ListQuery(), in: WakeWorld.session)
        let id = try #require(page.transfers.first?.id)
        #expect(world.wake.lines("tapped") == ["tapped transfers \(id) token-9"])
        #expect(world.wake.lines("woken").first?.hasPrefix("woken org.example.photos notification-tapped ") == true)
        try await world.wake.wait("acknowledged 3")
        #expect(try await connection.wakeStatus(of: WakeWorld.session).pendingEvents == 0)
    }

    @Test func aServiceThatWasKilledReplacesWhatItShowed() async throws {
        let world = try await NotificationWorld()
        let mock = try await world.startMock()
        do {
            let service = try await RunningService(in: world.wake.product)
            let connection = try await service.connect()
            try await world.set(connection)
            try await world.wake.finishOne(connection)
            _ = try await mock.notified(1)
            while try await connection.notifications(.status, of: WakeWorld.session).shown == 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
            service.process.signal(SIGKILL)
            _ = try await service.process.waitForEnd()
        }
        let service = try await RunningService(in: world.wake.product)
        let connection = try await service.connect()
        try await world.wake.finishOne(connection)
        let second = try await mock.notified(2)
        #expect(second.contains("\"Photos\" 1 ") && second.contains("2 transfers finished"), "\(second)")
    }

    @Test func notificationOfCommandOffersNoOpen() async throws {
        let world = try await NotificationWorld()
        let mock = try await world.startMock()
        let service = try await RunningService(in: world.wake.product)
        let connection = try await service.connect()
        try await world.set(connection) { $0.opensApp = false }
        try await world.wake.finishOne(connection)
        let shown = try await mock.notified(1)
        #expect(shown.contains("Finished") && !shown.contains("default"), "\(shown)")
    }

    /// A click is a signal on the bus: a service that is not running does not receive it, and is not started for it.
    @Test func aClickWhileNoServiceRunsIsLostAndTheNextServiceHearsTheNextOne() async throws {
        let world = try await NotificationWorld()
        let mock = try await world.startMock()
        try world.wake.set(.acknowledge)
        do {
            let service = try await RunningService(in: world.wake.product)
            let connection = try await service.connect()
            try await world.set(connection)
            try await world.wake.finishOne(connection)
            _ = try await mock.notified(1)
            while try await connection.notifications(.status, of: WakeWorld.session).shown == 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
            service.process.signal(SIGKILL)
            _ = try await service.process.waitForEnd()
        }
        try await world.emit("ActionInvoked", "us", "1", "default")
        let service = try await RunningService(in: world.wake.product)
        let connection = try await service.connect()
        let status = try await connection.wakeStatus(of: WakeWorld.session)
        #expect(status.pendingEvents == 2 && status.record.total == 0, "the transfer's events, and no click")
        // Clicked until the service receives it: no event shows that the new service listens.
        while world.wake.lines("tapped").isEmpty {
            try await world.emit("ActionInvoked", "us", "1", "default")
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(world.wake.lines("tapped").count == 1 && service.process.isRunning)
    }

    @Test func aServerThatComesLaterShowsWhatWaitsForIt() async throws {
        let world = try await NotificationWorld()
        let service = try await RunningService(in: world.wake.product)
        let connection = try await service.connect()
        try await world.set(connection)
        _ = try await connection.notifications(
            .post(PlainNotification("storm", title: "Storm", body: "Take a photo?")), of: WakeWorld.session)
        while try await !connection.notifications(.status, of: WakeWorld.session).lacksServer {
            try await Task.sleep(for: .milliseconds(10))
        }
        let mock = try await world.startMock("body")
        let shown = try await mock.notified(1)
        #expect(shown.contains("\"Storm\" \"Take a photo?\" [\"default\", \"Open\"]"), "\(shown)")
        while try await connection.notifications(.status, of: WakeWorld.session).lacksServer {
            try await Task.sleep(for: .milliseconds(10))
        }
        // That server ends, and another starts: its numbers restart, and identify other notifications.
        mock.signal(SIGKILL)
        _ = try await mock.waitForEnd()
        while try await connection.notifications(.status, of: WakeWorld.session).shown != 0 {
            try await Task.sleep(for: .milliseconds(10))
        }
        let other = try await world.startMock()
        try await world.wake.finishOne(connection)
        #expect(try await other.notified(1).contains("\"Photos\" 0 "))
    }

    @Test func serviceWorksWithoutSessionBus() async throws {
        let wake = try WakeWorld()
        let service = try await RunningService(in: wake.product, ["--idle-exit", "1"], isKept: true)
        let connection = try await service.connect()
        _ = try await connection.notifications(.set(NotificationSettings(appName: "Photos")), of: WakeWorld.session)
        try await wake.finishOne(connection)
        while try await !connection.notifications(.status, of: WakeWorld.session).lacksServer {
            try await Task.sleep(for: .milliseconds(10))
        }
        let shown = try await wake.product.longhaul("session", "org.example.photos")
        #expect(shown.output.contains("0 shown, waiting for a notification server"), "\(shown.output)")
        connection.close()
        service.release()
        #expect(
            try await service.process.waitForEnd() == .exited(0),
            "the service does not wait for a missing notification server")
    }

    @Test func pauseResumeAndCancelAreDoneByTheService() async throws {
        let world = try await NotificationWorld()
        let mock = try await world.startMock()
        let service = try await RunningService(in: world.wake.product)
        let connection = try await service.connect()
        try await world.set(connection) { $0.kinds = [.progress] }
        // At its rate it takes a quarter of an hour: it does not end before it is cancelled, however slow this machine is.
        let body = Content(seed: 3, length: 1 << 30)
        let server = try NastyServer(routes: ["/film": Route(.file(body, etag: "\"v1\""))])
        var spec = TransferSpec(
            work: .download(DownloadSpec(directory: world.wake.product.home.path("work"), fileName: "film.mp4")),
            method: "GET", url: server.url("/film"))
        spec.options.rateLimit = 1 << 20
        guard case .accepted(let id) = try await connection.submit([spec], to: WakeWorld.session)[0]
        else { throw Unexpected() }
        #expect(try await mock.notified(1).contains("\"pause\", \"Pause\", \"cancel\", \"Cancel Download\""))
        _ = try await mock.notified(3)
        try await world.emit("ActionInvoked", "us", "1", "pause")
        func wait(for fits: (TransferState) -> Bool) async throws {
            while true {
                let state = try await connection.show(id, in: WakeWorld.session).snapshot.state
                if fits(state) { return }
                try #require(!state.isEnded, "it has ended: \(state)")
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        try await wait { $0 == .paused }
        _ = try await mock.waitForOutput(for: "a way to resume") { $0.contains("\"resume\", \"Resume\"") ? () : nil }
        try await world.emit("ActionInvoked", "us", "1", "resume")
        try await wait { if case .running = $0 { true } else { false } }
        try await world.emit("ActionInvoked", "us", "1", "cancel")
        _ = try await mock.waitForOutput(for: "the question") { $0.contains("\"Cancel Download?\"") ? () : nil }
        try await world.emit("ActionInvoked", "us", "1", "cancel")
        try await wait { $0 == .cancelled }
        _ = try await mock.waitForOutput(for: "its end") { $0.contains("CloseNotification") ? () : nil }
    }
}
