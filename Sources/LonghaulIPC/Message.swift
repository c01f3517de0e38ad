package import LonghaulCore

/// What a client sends. Each request has a number; its reply carries the same.
package enum ClientMessage: Equatable, Sendable {
    /// Always the first message of a connection.
    case hello(version: Int, program: String)
    case session(SessionID, SessionCommand)
    /// Starts a stream of `.update` replies with this request's number: first the selected transfers as they are,
    /// then changes, coalesced to about ten a second.
    case watch(SessionID, TransferSelection, WatchDetail = WatchDetail())
    /// Ends the stream that was started by the request with this number.
    case unwatch(request: UInt64)
    /// Every session directory there is.
    case sessions
    case status
    /// Asks the service to stop, as SIGTERM does.
    case stop
    /// Gives a session back to this client, which wants to run it, for as long as it is connected.
    case release(SessionID, ReleaseMode)
    /// Takes back a session that was given to this client, and stays for one that another process runs until it is free.
    case adopt(SessionID)
    /// Gives the session's credentials: starts a stream of `.credentialWanted` with this request's number.
    case provideCredentials(SessionID)
    /// Answers one of them; without a credential there is none. `provider` is the number of that stream's request.
    case answerCredential(provider: UInt64, question: UInt64, Credential?)
    /// Ends the stream that was started by the request with this number.
    case endProviding(request: UInt64)
    /// The session's app is here, until `unwatch` or the end of the connection: it is not started meanwhile. Starts a
    /// stream of `.news` with this request's number.
    case attach(SessionID)
    case conditions
    /// What the person says about the conditions from now on; kept.
    case setOverride(ConditionsOverride)
    case traffic
    /// The limits for all sessions from now on; kept.
    case setTraffic(TrafficLimits)
    /// The app has handlers for background tasks, until `unwatch` or the end of the connection. Starts a stream of
    /// `.taskRuns` with this request's number.
    case runTasks(SessionID, TaskRunner)
}

/// What the service sends.
package enum ServiceMessage: Equatable, Sendable {
    case welcome(version: Int, program: String)
    case session(SessionReply)
    case update(WatchUpdate)
    /// The number of the newest event of a session; 0 for none. Only the latest counts.
    case news(newestEvent: Int64)
    /// The runs that are this client's; only the latest counts.
    case taskRuns(TaskAssignments)
    case sessions([SessionSummary])
    case status(ServiceStatus)
    case credentialWanted(CredentialQuestion)
    case conditions(ConditionsReport)
    case traffic(UserTrafficReport)
    case done
    case failed(TransferFailure)
}

/// One session the service knows.
package struct SessionSummary: Equatable, Sendable {
    /// Its identifier.
    package var id: SessionID
    /// What keeps it from being used, if anything does (a damaged store that was set aside, another owner).
    package var trouble: TransferFailure?
    /// How many transfers are in each state; zero while it is in trouble.
    package var totals: SessionTotals

    /// Takes every value.
    package init(id: SessionID, trouble: TransferFailure?, totals: SessionTotals) {
        self.id = id
        self.trouble = trouble
        self.totals = totals
    }
}

/// The service about itself.
package struct ServiceStatus: Equatable, Sendable {
    /// The service's version.
    package var version: String
    /// Its process.
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
    /// Which bodies pass by it.
    package var directPaths: DirectPaths
    /// Whether it has HTTP/3.
    package var hasHTTP3: Bool

    /// Takes every value.
    package init(
        version: String, processID: Int, startedAt: WallTime, isSocketActivated: Bool, clients: Int,
        residentBytes: Int64, stateDirectory: String, sessions: [SessionSummary], libcurl: String,
        directPaths: DirectPaths, hasHTTP3: Bool
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
    }
}
