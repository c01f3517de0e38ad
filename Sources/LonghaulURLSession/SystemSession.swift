import Foundation
import Synchronization

/// What must be the same at every start of the app, so that the system's session joins its tasks again.
package struct BackgroundSessionOptions: Equatable, Sendable {
    package var identifier: String
    /// The app group's container, for sessions that extensions share.
    package var sharedContainer: String?
    package var connectionsPerHost = 6

    package init(identifier: String) { self.identifier = identifier }

    var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.sessionSendsLaunchEvents = true
        configuration.sharedContainerIdentifier = sharedContainer
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        configuration.httpShouldSetCookies = false
        return configuration
    }
}

/// The process's one object for a session of the system's. Nothing is told before an engine listens, nor after it has gone.
package final class SystemSession: Sendable {
    let session: URLSession
    private let listener = SessionListener()
    private let queue = OperationQueue()

    init(_ configuration: URLSessionConfiguration) {
        queue.maxConcurrentOperationCount = 1
        // The system may tell what it has kept as soon as there is a session.
        queue.isSuspended = true
        session = URLSession(configuration: configuration, delegate: listener, delegateQueue: queue)
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
}

/// The sessions of this process: two objects with one identifier would take each other's events.
package final class SystemSessions: Sendable {
    package static let ofProcess = SystemSessions()

    private let sessions = Mutex<[String: SystemSession]>([:])

    /// Those of another process; in tests.
    package init() {}

    func session(_ options: BackgroundSessionOptions) -> SystemSession {
        sessions.withLock { sessions in
            let session = sessions[options.identifier] ?? SystemSession(options.configuration)
            sessions[options.identifier] = session
            return session
        }
    }
}
