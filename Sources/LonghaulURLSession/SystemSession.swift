import Foundation
import LonghaulCore
import Synchronization

/// What must be the same at every start of the app, so that the system's sessions join their tasks again.
package struct BackgroundSessionOptions: Equatable, Sendable {
    package var identifier: String
    /// The app group's container, for sessions that extensions share.
    package var sharedContainer: String?
    package var connectionsPerHost = 6

    package init(identifier: String) { self.identifier = identifier }

    /// Whether the system chooses the moment is said of a session and not of a task, so what is discretionary has a session of its own.
    package var discretionaryIdentifier: String { identifier + ".discretionary" }

    func configuration(isDiscretionary: Bool) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.background(
            withIdentifier: isDiscretionary ? discretionaryIdentifier : identifier)
        configuration.isDiscretionary = isDiscretionary
        configuration.sessionSendsLaunchEvents = true
        configuration.sharedContainerIdentifier = sharedContainer
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        configuration.httpShouldSetCookies = false
        return configuration
    }
}

/// The process's objects for sessions of the system's that one engine hears. They tell on one queue, one after the other; nothing is told
/// before an engine listens, nor after it has gone.
package final class SystemSession: Sendable {
    let sessions: [URLSession]
    private let listener = SessionListener()
    private let queue = OperationQueue()

    init(_ configurations: [URLSessionConfiguration]) {
        queue.maxConcurrentOperationCount = 1
        // The system may tell what it has kept as soon as there is a session.
        queue.isSuspended = true
        sessions = configurations.map { [listener, queue] configuration in
            URLSession(configuration: configuration, delegate: listener, delegateQueue: queue)
        }
    }

    func attach(_ engine: SystemEngine) {
        listener.connect(engine)
        queue.isSuspended = false
    }

    /// What is told from now on waits for the next engine.
    func detach() {
        queue.isSuspended = true
        listener.connect(nil)
    }

    /// What all of them carry.
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

/// The sessions of this process: two objects with one identifier would take each other's events.
package final class SystemSessions: Sendable {
    package static let ofProcess = SystemSessions()

    private let sessions = Mutex<[String: SystemSession]>([:])

    /// Those of another process; in tests.
    package init() {}

    /// The urgent one and the discretionary one.
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
