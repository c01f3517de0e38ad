import Foundation
public import Longhaul
import LonghaulCore
import LonghaulRuntime
import LonghaulSystem
import LonghaulURLSession
import Synchronization

/// A session of an app whose transfers the system carries while the app is away: suspended, ended, or not started yet.
///
/// Make it before the launch ends, at every launch, since the system may have started the app for it.
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
/// The bytes move in this process while the app is in front, and by the system's background session otherwise.
/// ``follow(_:onHandoff:)`` brings them from one to the other.
public final class AppSession: Sendable {
    /// The name of the session, and of what belongs to it at the system's.
    public let identifier: String
    let options: AppOptions
    package let carrier: Carrier
    private let configuration: TransferSession.Configuration
    private let surroundings: AppSurroundings
    private let opening = Mutex<Task<Result<TransferSession, TransferFailure>, Never>?>(nil)

    /// Describes a session; nothing is opened yet. Of the configuration, the execution, the hand-over and the state directory do not
    /// count here.
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
        if options.showsNotifications { NotificationDesk.ofProcess.attend() }
    }

    /// The names of the system's sessions: of what is urgent, and of what is discretionary. The app is started with one of them.
    public var backgroundIdentifiers: [String] { [background.identifier, background.discretionaryIdentifier] }

    var background: BackgroundSessionOptions {
        var background = BackgroundSessionOptions(identifier: identifier + ".longhaul")
        background.sharedContainer = options.appGroup
        return background
    }

    /// The session, which is opened by the first call. Fails like `TransferSession.open`; the next call tries again.
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

    /// Lets go of the session in this process. What the system carries goes on; the next call of ``open()`` opens it again.
    public func close() async {
        let task = opening.withLock { opening in
            defer { opening = nil }
            return opening
        }
        // One that could not be opened has nothing to close.
        if case .success(let session) = await task?.value { await session.close() }
    }

    private func openNow() async -> Result<TransferSession, TransferFailure> {
        do throws(TransferFailure) {
            let places = try AppPlaces(options, guarding: surroundings.guarding)
            if let id = SessionID(identifier) { try places.prepare(id) }
            await carrier.lookAround()
            var configuration = configuration
            configuration.execution = .inProcess
            configuration.handoff = nil
            configuration.stateDirectory = places.home
            configuration.world = world(letsGo: options.appGroup != nil)
            return .success(try await TransferSession.open(identifier, configuration: configuration))
        } catch {
            return .failure(error)
        }
    }

    private func world(letsGo: Bool) -> InProcessWorld {
        var environment = RuntimeEnvironment.real {
            [carrier, surroundings, background] layout, sink throws(TransferFailure) in
            let files = try surroundings.makeFiles(sink)
            let engine = try SystemEngine(
                background, directory: layout.directory + "/exchanges", sessions: surroundings.sessions,
                settling: surroundings.settling, sink: sink)
            carrier.take(engine)
            return Engine(exchanges: engine, files: files)
        }
        environment.survives = surroundings.survives
        environment.surroundings = { [carrier] in carrier.surroundings }
        environment.outlivesApp = true
        if options.showsNotifications {
            environment.notify = { session, order, tell in NotificationDesk.ofProcess.take(session, order, then: tell) }
        }
        var world = InProcessWorld(
            environment: environment, conditions: { [carrier] in carrier.surroundings.conditions },
            opened: { [carrier] in carrier.take($0) }, closed: { [carrier] in carrier.letGo() })
        world.lanes = CarrierLanes(
            choose: { [carrier] in carrier.setBehind($0 == .there) }, place: { [carrier] in carrier.place(of: $0) },
            movedInVain: { [carrier] in carrier.engine?.movedInVain ?? [:] })
        world.lanes?.letsGo = letsGo
        return world
    }
}
