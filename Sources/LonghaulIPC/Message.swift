package import LonghaulCore

/// The messages of a client. Each request has a number; its reply has the same number.
package enum ClientMessage: Equatable, Sendable {
    /// Always the first message of a connection.
    case hello(version: Int, program: String)
    case session(SessionID, SessionCommand)
    /// Starts a stream of `.update` replies with this request's number: first the selected transfers in their current
    /// state, then changes, coalesced to about ten a second.
    case watch(SessionID, TransferSelection, WatchDetail = WatchDetail())
    /// Ends the stream that was started by the request with this number.
    case unwatch(request: UInt64)
    /// Lists all session directories.
    case sessions
    case status
    /// Stops the service, as SIGTERM does.
    case stop
    /// Requests a session, which this client wants to run for as long as it is connected.
    case release(SessionID, ReleaseMode)
    /// Reclaims a session that was released to this client. Keeps the service running until another process has freed its session.
    case adopt(SessionID)
    /// Supplies the session's credentials: starts a stream of `.credentialWanted` with this request's number.
    case provideCredentials(SessionID)
    /// Answers one of those requests; `nil` if there is no credential. `provider` is the number of that stream's request.
    case answerCredential(provider: UInt64, question: UInt64, Credential?)
    /// Ends the stream that was started by the request with this number.
    case endProviding(request: UInt64)
    /// Marks the session's app as present, so that it is not started, until `unwatch` or the end of the connection.
    /// Starts a stream of `.news` with this request's number.
    case attach(SessionID)
    case conditions
    /// Overrides the conditions manually; kept.
    case setOverride(ConditionsOverride)
    case traffic
    /// Sets the limits for all sessions; kept.
    case setTraffic(TrafficLimits)
    /// Registers the app's handlers for background tasks until `unwatch` or the end of the connection. Starts a stream
    /// of `.taskRuns` with this request's number.
    case runTasks(SessionID, TaskRunner)
}

/// The messages of the service.
package enum ServiceMessage: Equatable, Sendable {
    case welcome(version: Int, program: String)
    case session(SessionReply)
    case update(WatchUpdate)
    /// The number of the newest event of a session; 0 for none. Only the latest counts.
    case news(newestEvent: Int64)
    /// The runs assigned to this client; only the latest list counts.
    case taskRuns(TaskAssignments)
    case sessions([SessionSummary])
    case status(ServiceStatus)
    case credentialWanted(CredentialQuestion)
    case conditions(ConditionsReport)
    case traffic(UserTrafficReport)
    case done
    case failed(TransferFailure)
}

/// One session that the service knows.
package struct SessionSummary: Equatable, Sendable {
    /// Its identifier.
    package var id: SessionID
    /// Why it cannot be used, if so (a damaged store that was quarantined, another owner).
    package var trouble: TransferFailure?
    /// The number of transfers in each state; zero while `trouble` is set.
    package var totals: SessionTotals

    /// Creates a summary.
    package init(id: SessionID, trouble: TransferFailure?, totals: SessionTotals) {
        self.id = id
        self.trouble = trouble
        self.totals = totals
    }
}

/// The status of the service.
package struct ServiceStatus: Equatable, Sendable {
    /// The service's version.
    package var version: String
    /// Its process ID.
    package var processID: Int
    /// When it started.
    package var startedAt: WallTime
    /// Whether systemd started it by its socket.
    package var isSocketActivated: Bool
    /// Connected clients.
    package var clients: Int
    /// Resident memory in bytes.
    package var residentBytes: Int64
    /// The directory that holds the sessions.
    package var stateDirectory: String
    /// The sessions it has open.
    package var sessions: [SessionSummary]
    /// The version of its libcurl.
    package var libcurl: String
    /// The kinds of bodies that bypass it.
    package var directPaths: DirectPaths
    /// Whether it supports HTTP/3.
    package var hasHTTP3: Bool
    /// Damage to the files for all sessions, until the user acknowledges it.
    package var trouble: TransferFailure?

    /// Creates a status.
    package init(
        version: String, processID: Int, startedAt: WallTime, isSocketActivated: Bool, clients: Int,
        residentBytes: Int64, stateDirectory: String, sessions: [SessionSummary], libcurl: String,
        directPaths: DirectPaths, hasHTTP3: Bool, trouble: TransferFailure? = nil
    ) {
        self.version = version
        self.processID = processID
        self.startedAt = startedAt
        self.isSocketActivated = isSocketActivated
        self.clients = clients
        self.residentBytes = residentBytes
        self.stateDirectory = stateDirectory
        self.sessions = sessions
        self.libcurl = libcurl
        self.directPaths = directPaths
        self.hasHTTP3 = hasHTTP3
        self.trouble = trouble
    }
}
