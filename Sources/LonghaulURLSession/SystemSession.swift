import Foundation
import LonghaulCore
import Synchronization

/// The options that must not change between launches of the app, so that the system's sessions find their tasks again.
package struct BackgroundSessionOptions: Equatable, Sendable {
    package var identifier: String
    /// The app group's container, for sessions that extensions share.
    package var sharedContainer: String?
    package var connectionsPerHost = 6

    package init(identifier: String) { self.identifier = identifier }

    /// The session for discretionary exchanges. Whether the system chooses the time is an option of a session, not of a task.
    package var discretionaryIdentifier: String { identifier + ".discretionary" }

    func configuration(isDiscretionary: Bool) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.background(
            withIdentifier: isDiscretionary ? discretionaryIdentifier : identifier)
        configuration.isDiscretionary = isDiscretionary
        configuration.sessionSendsLaunchEvents = true
        configuration.sharedContainerIdentifier = sharedContainer
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        configuration.shareNothing()
        return configuration
    }
}

extension URLSessionConfiguration {
    /// Separates the session from what the app's other requests share, so that a transfer has the same result as on Linux. A cache could
    /// answer a request without its server, and would store bodies in clear text. Cookies that a server sets for a transfer would be sent
    /// with the app's own requests. The keychain has passwords that the app did not choose to send.
    func shareNothing() {
        urlCache = nil
        requestCachePolicy = .reloadIgnoringLocalCacheData
        httpCookieStorage = nil
        httpShouldSetCookies = false
        urlCredentialStorage = nil
    }
}

/// The system's session objects for one engine. Their callbacks arrive on one serial queue, and only while an engine is
/// attached.
package final class SystemSession: Sendable {
    let sessions: [URLSession]
    private let listener = SessionListener()
    private let queue = OperationQueue()

    init(_ configurations: [URLSessionConfiguration]) {
        queue.maxConcurrentOperationCount = 1
        // The system may deliver stored events as soon as the session exists.
        queue.isSuspended = true
        sessions = configurations.map { [listener, queue] configuration in
            let isOfProcess = configuration.identifier == nil
            let delegate: any URLSessionDelegate = isOfProcess ? ForegroundListener(listener) : listener
            return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        }
    }

    func attach(_ engine: SystemEngine) {
        listener.connect(engine)
        queue.isSuspended = false
    }

    /// Holds later callbacks back for the next engine.
    func detach() {
        queue.isSuspended = true
        listener.connect(nil)
    }

    /// Ends the tasks of all sessions. The system releases the listener when it has called it for the last time, so the queue continues.
    func invalidate() {
        listener.connect(nil)
        for session in sessions { session.invalidateAndCancel() }
    }

    /// Returns a session; fails if the system has made it invalid, such as because another process uses its identifier.
    func session(_ index: Int) throws(TransferFailure) -> URLSession {
        if let failure = listener.failure(of: sessions[index]) { throw failure }
        return sessions[index]
    }

    /// Why one of the sessions accepts no more tasks.
    var failure: TransferFailure? { sessions.lazy.compactMap { [listener] in listener.failure(of: $0) }.first }

    /// Collects the tasks of all sessions.
    func allTasks(_ reply: @escaping @Sendable ([URLSessionTask]) -> Void) {
        Self.collect(sessions[...], [], reply)
    }

    private static func collect(
        _ rest: ArraySlice<URLSession>, _ found: [URLSessionTask],
        _ reply: @escaping @Sendable ([URLSessionTask]) -> Void
    ) {
        guard let session = rest.first else { return reply(found) }
        session.getAllTasks { tasks in collect(rest.dropFirst(), found + tasks, reply) }
    }
}

/// The sessions of this process: two objects with one identifier would steal each other's events.
package final class SystemSessions: Sendable {
    package static let ofProcess = SystemSessions()

    private let sessions = Mutex<[String: SystemSession]>([:])

    /// Creates the sessions of another process, in tests.
    package init() {}

    /// Returns the session for the given background options.
    func session(_ options: BackgroundSessionOptions) -> SystemSession {
        sessions.withLock { sessions in
            let session =
                sessions[options.identifier]
                ?? SystemSession([false, true].map { options.configuration(isDiscretionary: $0) })
            sessions[options.identifier] = session
            return session
        }
    }
}
