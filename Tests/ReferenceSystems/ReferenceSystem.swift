public import Longhaul

/// An app of a published write-up, written once for every platform. It only uses the public API.
public protocol ReferenceSystem: Sendable {
    /// The identifier of the app's session.
    static var session: String { get }

    /// The parts that the platform provides.
    var platform: Platform { get }

    /// Creates the app of one process.
    init(_ platform: Platform)

    /// Adds the app's settings to those of the platform.
    func configure(_ configuration: inout TransferSession.Configuration)

    /// Declares the handlers of background tasks.
    func register(_ tasks: BackgroundTasks) throws(TransferFailure)

    /// The user opens the app. Returns when the app has nothing left to show.
    func open(_ session: TransferSession, _ lifecycle: ProcessLifecycle) async throws(TransferFailure)

    /// Handles an event. The app may run in the background.
    func handle(_ event: SessionEvent, of session: TransferSession) async throws(TransferFailure)
}

extension ReferenceSystem {
    /// No settings.
    public func configure(_ configuration: inout TransferSession.Configuration) {}

    /// No background tasks.
    public func register(_ tasks: BackgroundTasks) throws(TransferFailure) {}

    /// Shows the result of a transfer.
    public func handle(_ event: SessionEvent, of session: TransferSession) async throws(TransferFailure) {
        if case .transferFinished(let snapshot) = event.kind { platform.show(snapshot) }
    }

    /// Handles the events that the app has not acknowledged.
    public func handleEvents(of session: TransferSession) async throws(TransferFailure) {
        for event in try await session.pendingEvents() {
            try await handle(event, of: session)
            try await session.acknowledge(event)
        }
    }
}

/// The systems of the published write-ups.
public enum System: String, CaseIterable, Sendable {
    case photoUpload = "Photo upload"
    case stormWatcher = "Storm watcher"
    case offlineVideos = "Offline videos"
    case lastRequest = "Last request"
    case foundAgain = "Found again"

    /// The app.
    public var type: any ReferenceSystem.Type {
        switch self {
        case .photoUpload: PhotoUpload.self
        case .stormWatcher: StormWatcher.self
        case .offlineVideos: OfflineVideos.self
        case .lastRequest: LastRequest.self
        case .foundAgain: FoundAgain.self
        }
    }

    /// The number of films in a season.
    public static let films = 3
}

/// The parts of an app's process that its platform provides.
public struct Platform: Sendable {
    /// The URL of the app's server, without a slash at its end.
    public var server: String
    /// The directory of the app's own files.
    public var directory: String
    /// Submits a background task, and requests the start of the app for it.
    public var schedule: @Sendable (BackgroundTaskRequest, TransferSession) async throws(TransferFailure) -> Void
    /// Shows a line to the user.
    public var show: @Sendable (String) -> Void

    /// Creates the platform of one process.
    public init(
        server: String, directory: String, show: @escaping @Sendable (String) -> Void,
        schedule: @escaping @Sendable (BackgroundTaskRequest, TransferSession) async throws(TransferFailure) -> Void
    ) {
        self.server = server
        self.directory = directory
        self.show = show
        self.schedule = schedule
    }

    /// Shows the state of a transfer under the app's own name for it.
    func show(_ snapshot: TransferSnapshot) { show("\(snapshot.key ?? "-"): \(Self.line(snapshot.state))") }

    /// Shows each new state of a transfer until it has ended.
    func follow(_ transfer: Transfer) async throws(TransferFailure) {
        var last: String?
        for try await snapshot in transfer.snapshots where Self.line(snapshot.state) != last {
            show(snapshot)
            last = Self.line(snapshot.state)
        }
    }

    /// Shows the loss of an earlier process of the app, once.
    func showLoss(of session: TransferSession) async throws(TransferFailure) {
        guard let loss = try await session.ownerLoss() else { return }
        show("lost: \(loss.transfers)")
        try await session.acknowledgeOwnerLoss()
    }

    private static func line(_ state: TransferState) -> String {
        switch state {
        case .waiting(let waiting): waiting.failure.map { "waiting, \($0.code.rawValue)" } ?? "waiting"
        case .running: "running"
        case .awaitingResponse: "awaiting the response"
        case .paused: "paused"
        case .succeeded: "succeeded"
        case .failed(let failure): "failed, \(failure.code.rawValue)"
        case .cancelled: "cancelled"
        @unknown default: "in an unknown state"
        }
    }
}
