import BackgroundTasks
import Foundation
import FoundationDouble
import LonghaulApple
import LonghaulCore
import Synchronization
import TestSupport
import Testing
import UserNotifications

/// A simulated device on which an example is installed, and its user.
final class Phone: @unchecked Sendable {
    let world: AppWorld
    private let screen: PhoneScreen

    /// `directory`: the directory of the app in Examples/iOS. Its bundle identifier is `org.example.<directory>`.
    init(_ directory: String, _ screen: PhoneScreen) async throws {
        self.screen = screen
        let info = try Info(directory)
        world = try await AppWorld()
        let bundle = "org.example.\(directory)"
        world.bundleIdentifier = bundle
        world.home = world.temporary.path("container")
        for folder in ["Documents", "Library/Application Support"] {
            try FileManager.default.createDirectory(
                atPath: "\(world.home)/\(folder)", withIntermediateDirectories: true)
        }
        let support = world.home + "/Library/Application Support/Longhaul"
        AppContainer.home.withLock { [home = world.home] in $0 = home }
        OpenWorlds.add(self) { [self] in await close() }
        world.launch = { surroundings in
            var surroundings = surroundings
            surroundings.directory = support
            surroundings.presenter = NotificationPresenter()
            BGTaskScheduler.shared.beginLaunch(permitting: info.names, modes: info.modes, bundle: bundle)
            defer { BGTaskScheduler.shared.endLaunch() }
            return screen.launch(in: surroundings)
        }
        world.takeEvents = { _, identifier, done in
            Task {
                // An app without an action never reports that it is done.
                guard await Screen.runBackgroundAction(identifier) else { return }
                DispatchQueue.main.async(execute: done)
            }
        }
    }

    /// The app's entries of Info.plist.
    private struct Info {
        var names: [String] = []
        var modes: Set<String> = []

        init(_ directory: String) throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let file = root.appendingPathComponent("Examples/iOS/\(directory)/Info.plist")
            // Only apps with scheduled work need entries.
            guard FileManager.default.fileExists(atPath: file.path) else { return }
            let entries = try #require(
                PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil) as? [String: Any])
            names = entries["BGTaskSchedulerPermittedIdentifiers"] as? [String] ?? []
            modes = Set(entries["UIBackgroundModes"] as? [String] ?? [])
        }
    }

    /// The user opens the app.
    func open() async throws {
        world.device.enter(.foreground)
        if world.process == nil { world.start() }
        await screen.show()
        try await world.open()
    }

    /// The user leaves the app, which is then suspended. `count`: how many transfers move to the system.
    func leave(handingOver count: Int = 0) async throws { try await world.leaveApp(handingOver: count) }

    /// The system reclaims the memory of the app.
    func kill() async { await die { $0.enter(.dead) } }

    /// The user swipes the app away.
    func forceQuit() async { await die { $0.forceQuit() } }

    /// The system ends the app with the notice of termination.
    func quit() async {
        await Screen.terminate()
        await kill()
    }

    private func die(_ how: (SimulatedDevice) -> Void) async {
        await screen.endProcess()
        await world.die(how)
    }

    /// The user taps a notification, which opens the app.
    func tapNotification(_ title: String) async throws {
        let shown = try #require(UNUserNotificationCenter.current().shown.first { $0.content.title == title })
        world.device.enter(.foreground)
        if world.process == nil { world.start() }
        UNUserNotificationCenter.current().tap(shown.identifier)
        try await open()
    }

    /// The texts on the screen, in order.
    var texts: [String] { get async { await screen.texts } }
    /// The titles of the buttons on the screen, in order.
    var buttons: [String] { get async { await screen.buttons } }
    /// The values of the progress bars on the screen, in order.
    var progress: [Double?] { get async { await screen.progress } }

    /// The user taps a button as soon as it appears. `text`: a text of the same row.
    func tap(_ title: String, beside text: String? = nil, at place: SourceLocation = #_sourceLocation) async throws {
        try await wait("a button \(title)", at: place) { await screen.tap(title, beside: text) }
    }

    /// The user picks a file after a tap on the picker with this title.
    func pick(
        _ file: String, with title: String = "Add", at place: SourceLocation = #_sourceLocation
    ) async throws {
        await screen.choose(file)
        try await tap(title, at: place)
    }

    /// Waits until the screen shows the text. `advances`: the device transfers bytes meanwhile.
    func shows(_ text: String, advances: Bool = true, at place: SourceLocation = #_sourceLocation) async throws {
        let isShown = { [screen] in await screen.texts.contains(text) }
        let what = "the text: \(text)"
        if advances { try await go(what, at: place, until: isShown) } else { try await wait(what, at: place, isShown) }
    }

    /// Advances the device until the screen no longer shows the text.
    func hides(_ text: String, at place: SourceLocation = #_sourceLocation) async throws {
        try await go("no text: \(text)", at: place) { await !screen.texts.contains(text) }
    }

    /// Advances the device until the condition holds.
    func go(
        _ what: String, at place: SourceLocation = #_sourceLocation, until isTrue: () async throws -> Bool
    ) async throws {
        try await explain(place) { try await world.go("\(what)", until: isTrue) }
    }

    /// Waits for a condition; the device does not advance meanwhile.
    func wait(
        _ what: String, at place: SourceLocation = #_sourceLocation, _ isTrue: () async throws -> Bool
    ) async throws {
        try await explain(place) { try await world.wait("\(what)", isTrue) }
    }

    private func explain(_ place: SourceLocation, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            let diary = world.device.diary.suffix(20).joined(separator: "\n")
            Issue.record(
                "The screen shows \(await texts), and the buttons \(await buttons).\n\(diary)", sourceLocation: place)
            throw error
        }
    }

    /// Checks the invariants at the end of every test.
    func end() async {
        await close()
        await world.end()
        OpenWorlds.remove(self)
    }

    private func close() async {
        await screen.endProcess()
        AppContainer.home.withLock { $0 = nil }
    }
}
