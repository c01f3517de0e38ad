import Foundation
public import Longhaul
import LonghaulCore
import LonghaulRuntime
import LonghaulSystem
import LonghaulURLSession
import Synchronization

/// A session whose transfers the system runs while the app is suspended or not running.
///
/// Create it before the launch ends, at every launch, because the system may have started the app for it.
///
/// ```swift
/// final class AppDelegate: NSObject, UIApplicationDelegate {
///     let transfers = AppSession("org.example.photos")
///     let lifecycle = ProcessLifecycle()
///
///     func application(
///         _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
///         completionHandler: @escaping () -> Void
///     ) {
///         transfers.handleEvents(forBackgroundURLSession: identifier, completionHandler: completionHandler)
///     }
/// }
/// ```
///
/// This process transfers the bytes while the app is in the foreground. Otherwise the system's background session does.
/// ``follow(_:onHandoff:)`` moves the transfers from one to the other.
public final class AppSession: Sendable {
    /// The identifier of the session and the prefix of the system's sessions.
    public let identifier: String
    let options: AppOptions
    package let carrier: Carrier
    private let configuration: TransferSession.Configuration
    let surroundings: AppSurroundings
    private let opening = Mutex<Task<Result<TransferSession, TransferFailure>, Never>?>(nil)
    /// The lifecycle that the session follows for the rest of the process.
    let appLife = Mutex<AppLife?>(nil)

    /// Creates a description of the session without opening it. The configuration's `execution`, `handoff`, and `stateDirectory`
    /// have no effect.
    public convenience init(
        _ identifier: String, configuration: TransferSession.Configuration = TransferSession.Configuration(),
        options: AppOptions = AppOptions()
    ) {
        self.init(identifier, configuration: configuration, options: options, surroundings: .real)
    }

    package init(
        _ identifier: String, configuration: TransferSession.Configuration, options: AppOptions,
        surroundings: AppSurroundings
    ) {
        self.identifier = identifier
        self.configuration = configuration
        self.options = options
        self.surroundings = surroundings
        carrier = Carrier()
    }

    /// The notification center raises an exception in a process that is not an app.
    private var showsNotifications: Bool { options.showsNotifications && surroundings.bundleIdentifier != nil }

    /// The identifiers of the system's two sessions, one for urgent and one for discretionary transfers. The system starts the app
    /// with one of them.
    public var backgroundIdentifiers: [String] { [background.identifier, background.discretionaryIdentifier] }

    /// Why the system cannot run the open session's transfers until the app is launched again, such as because another process uses the
    /// same identifier; `nil` if it can. Meanwhile, transfers run only while the app is running.
    public var backgroundFailure: TransferFailure? { carrier.engine?.backgroundFailure }

    /// The start of the session's names in the system's scheduler, which accepts continued work only under names that begin with the
    /// bundle identifier.
    var schedulerName: String {
        guard let bundle = surroundings.bundleIdentifier, !"\(identifier).".hasPrefix("\(bundle).") else {
            return identifier
        }
        return "\(bundle).\(identifier)"
    }

    var background: BackgroundSessionOptions {
        var background = BackgroundSessionOptions(identifier: identifier + ".longhaul")
        background.sharedContainer = options.appGroup
        return background
    }

    /// Returns the session. The first call opens it. Fails like `TransferSession.open`, and the next call tries again.
    ///
    /// On iOS, the first call turns on `UIDevice.isBatteryMonitoringEnabled` for the whole app, for the conditions of transfers.
    public func open() async throws(TransferFailure) -> TransferSession {
        let task = opening.withLock { opening in
            if let opening { return opening }
            let task = Task { [self] in await openNow() }
            opening = task
            return task
        }
        let result = await task.value
        if case .failure = result { opening.withLock { if $0 == task { $0 = nil } } }
        return try result.get()
    }

    /// Closes the session in this process. Transfers of the system continue. The next call of ``open()`` opens the session again.
    public func close() async {
        let task = opening.withLock { opening in
            defer { opening = nil }
            return opening
        }
        // A session that could not be opened need not be closed.
        if case .success(let session) = await task?.value { await session.close() }
    }

    private func openNow() async -> Result<TransferSession, TransferFailure> {
        do throws(TransferFailure) {
            var options = options
            options.directory = options.directory ?? surroundings.directory
            let places = try AppPlaces(options, guarding: surroundings.guarding)
            if let id = SessionID(identifier) { try places.prepare(id) }
            await carrier.lookAround()
            var configuration = configuration
            configuration.execution = .inProcess(stateDirectory: places.home)
            configuration.world = world(
                letsGo: options.appGroup != nil, anchors: PathAnchors(home: surroundings.home, group: places.group))
            return .success(try await TransferSession.open(identifier, configuration: configuration))
        } catch {
            return .failure(error)
        }
    }

    private func world(letsGo: Bool, anchors: PathAnchors) -> InProcessWorld {
        var environment = RuntimeEnvironment.real {
            [carrier, surroundings, background] layout, sink throws(TransferFailure) in
            let files = try surroundings.makeFiles(sink)
            let engine = try SystemEngine(
                background, directory: layout.directory + "/exchanges", anchors: anchors,
                sessions: surroundings.sessions,
                settling: surroundings.settling, clock: surroundings.now, sink: sink)
            carrier.attach(engine)
            return Engine(exchanges: engine, files: files)
        }
        environment.anchors = anchors
        environment.now = surroundings.now
        environment.sinceBoot = nil
        environment.onSystemClock = surroundings.onSystemClock
        environment.survives = surroundings.survives
        environment.surroundings = { [carrier] in carrier.surroundings }
        environment.outlivesApp = true
        if showsNotifications {
            environment.notify = { [presenter = surroundings.presenter] session, order, tell in
                presenter.show(session, order, then: tell)
            }
        }
        var world = InProcessWorld(
            environment: environment,
            report: { [carrier] in ConditionsReport(measured: carrier.surroundings.conditions) },
            opened: { [carrier] in carrier.attach($0) }, closed: { [carrier] in carrier.release() })
        world.lanes = CarrierLanes(
            choose: { [carrier] in carrier.setBehind($0 == .there) }, place: { [carrier] in carrier.place(of: $0) },
            movedInVain: { [carrier] in carrier.engine?.movedInVain ?? [:] })
        world.lanes?.letsGo = letsGo
        world.prepareClone = surroundings.guarding.protect
        return world
    }
}
