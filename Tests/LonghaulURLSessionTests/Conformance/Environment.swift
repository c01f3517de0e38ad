import ReferenceSystems
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
    /// The user returns to the app that was left.
    func comeBack() async throws
    /// The app is started for its task by the party that does this here.
    func startForTask() async throws
    /// Waits for a condition, while the bytes move.
    func wait(_ what: Comment, until isTrue: () async throws -> Bool) async throws
    /// Checks the environment's own rules.
    func end() async throws
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
