import Foundation
import ReferenceSystems
import TestSupport
import Testing

/// A place in which a reference system runs: the app's processes, the user, the network, and a server.
protocol Environment: AnyObject, Sendable {
    var server: ServerScript { get }
    /// The requests that have arrived completely.
    var arrivals: [ServerScript.Arrival] { get }
    /// The bytes of bodies that have moved, in both directions.
    var bytesMoved: Int64 { get }
    /// The lines that the app has shown.
    var shown: [String] { get }
    /// Whether nothing is left that could move a byte.
    var isIdle: Bool { get }
    /// The directory of the app's own files.
    var directory: String { get }

    /// The user opens the app.
    func open() async throws
    /// The app is told to end, and ends.
    func quit() async throws
    /// The app's process dies without a notice.
    func kill() async throws
    /// The user leaves the app, which is suspended or stopped.
    func leave() async throws
    /// Whether each suspension came before the time for it was over. A busy machine may need longer, and the app may then die in it.
    var leftInTime: Bool { get }
    /// The user returns to the app that was left.
    func comeBack() async throws
    /// The user ends the app in a way that also ends the system's transfers, if there is one.
    func forceQuit() async throws
    /// The app is killed, and replaced by a new version, whose files have other paths.
    func updateApp() async throws
    /// The system will refuse resume data.
    func refuseResumeData()
    /// The user leaves the app, whose time in the background ends before its transfers.
    func leaveUntilTimeIsOver() async throws
    /// The device is locked for a while, in which its protected files cannot be read.
    func lockDevice() async throws
    func setOnline(_ isOnline: Bool)
    /// The disk of the downloaded files is full.
    func fillStorage() throws
    func freeStorage() throws
    /// Shortens the time of background tasks, if that can be set.
    func limitTaskTime() async throws
    /// The time of the running task ends.
    func endTaskTime() async throws
    /// The app is started for its task by the party that does this here.
    func startForTask() async throws
    /// Waits for a condition, while the bytes move.
    func wait(_ what: Comment, until isTrue: () async throws -> Bool) async throws
    /// Checks the environment's own rules.
    func end() async throws
}

extension Environment {
    var leftInTime: Bool { true }

    /// Replaces the photo by another one of the same length.
    func changePhoto() throws {
        let other = Content(seed: 4, length: ServerScript.photo.length)
        try Data(other.bytes()).write(to: URL(fileURLWithPath: directory + "/photo.jpg"))
    }
}

/// The environments.
enum EnvironmentKind: String, CaseIterable {
    case service = "Service"
    case inProcess = "App"
    case device = "Apple"

    func make(_ system: System) async throws -> any Environment {
        switch self {
        case .service, .inProcess: try LinuxEnvironment(self, system)
        case .device: try await DeviceEnvironment(system)
        }
    }
}
