/// Why something failed: a stable code, a sentence for a person, and where it came from. It never holds a secret.
public struct TransferFailure: Error, Equatable, Sendable {
    /// The stable code: the raw value is what `--json` prints and stores keep.
    public var code: FailureCode
    /// What failed and what to do about it, in one or two sentences.
    public var message: String
    /// The number below it, if there is one.
    public var origin: Origin

    /// The number below a failure.
    public enum Origin: Equatable, Sendable {
        /// Longhaul itself decided.
        case longhaul
        /// A libcurl result code.
        case curl(Int)
        /// An HTTP status.
        case status(Int)
        /// A system error number.
        case system(Int)
        /// An SQLite result code.
        case sqlite(Int)
    }

    /// Describes a failure.
    public init(_ code: FailureCode, _ message: String, origin: Origin = .longhaul) {
        self.code = code
        self.message = message
        self.origin = origin
    }
}

/// The stable failure codes. Cases are added, never renamed; `docs/exit-codes.md` lists them with their exit status.
public enum FailureCode: String, Equatable, Sendable, CaseIterable {
    // What was asked cannot be done as asked.
    case invalidArgument
    case invalidURL
    case unsupportedScheme
    case unknownTransfer
    case unknownSession
    case keyTaken
    case invalidState

    // Files here.
    case sourceMissing
    case sourceUnreadable
    case sourceChanged
    case destinationExists
    case destinationUnwritable
    case diskFull
    case fileFailed
    case tooManyOpenFiles

    // The way to the server.
    case offline
    case hostNotFound
    case connectionRefused
    case connectionFailed
    case connectionLost
    case timedOut
    case certificateRejected
    case tlsFailed
    case proxyFailed

    // What the server said.
    case notFound
    case credentialsRequired
    case forbidden
    case serverBusy
    case serverFailed
    case requestRejected
    case redirectRefused
    case captivePortal
    case preconditionFailed

    // What does not fit together.
    case protocolViolation
    case contentChanged
    case lengthMismatch
    case digestMismatch
    case uploadGone
    case outcomeUnknown

    // Limits.
    case resourceTimeExceeded
    case noProgress

    // Background tasks.
    case tooManyPendingTaskRequests
    case unknownTask

    // Longhaul itself.
    case storeDamaged
    case storeFailed
    case sessionInUse
    case serviceUnavailable
    case messageTooLarge
    case protocolMismatch
    case accessDenied
    case interrupted
    case internalFault
}
