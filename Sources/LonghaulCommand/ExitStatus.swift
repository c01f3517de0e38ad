import LonghaulCore

/// The exit status of the command. `ManualPage.exitStatus` has the meaning of each number.
package struct ExitStatus: Equatable, Sendable {
    package let number: Int32

    static let success = ExitStatus(number: 0)
    /// Failed for a reason without a separate number, or for several reasons.
    static let mixed = ExitStatus(number: 1)
    static let usage = ExitStatus(number: 2)
    static let localFile = ExitStatus(number: 3)
    static let network = ExitStatus(number: 4)
    static let tls = ExitStatus(number: 5)
    static let refused = ExitStatus(number: 6)
    static let serverTrouble = ExitStatus(number: 7)
    static let credentials = ExitStatus(number: 8)
    static let content = ExitStatus(number: 9)
    static let unknownOutcome = ExitStatus(number: 10)
    static let timeLimit = ExitStatus(number: 11)
    static let service = ExitStatus(number: 12)
    static let noSuchTransfer = ExitStatus(number: 13)
    /// Success, but the queue or the settings are damaged, and the user has not acknowledged the damage.
    static let damaged = ExitStatus(number: 14)
    static let hungUp = ExitStatus(number: 129)
    static let interrupted = ExitStatus(number: 130)
    /// Standard output was closed.
    static let pipeClosed = ExitStatus(number: 141)
    static let terminated = ExitStatus(number: 143)

    private init(number: Int32) {
        self.number = number
    }

    init(_ code: FailureCode) {
        switch code {
        case .invalidArgument, .invalidURL, .unsupportedScheme: self = .usage
        case .sourceMissing, .sourceUnreadable, .sourceChanged, .destinationExists, .destinationUnwritable, .diskFull,
            .notMounted, .fileFailed, .tooManyOpenFiles:
            self = .localFile
        case .offline, .hostNotFound, .nameLookupFailed, .connectionRefused, .connectionFailed, .connectionLost,
            .timedOut,
            .proxyFailed, .captivePortal:
            self = .network
        case .certificateRejected, .notYetValid, .tlsFailed: self = .tls
        case .notFound, .forbidden, .requestRejected, .redirectRefused, .preconditionFailed, .uploadGone:
            self = .refused
        case .serverBusy, .serverFailed, .protocolViolation: self = .serverTrouble
        case .credentialsRequired: self = .credentials
        case .contentChanged, .lengthMismatch, .digestMismatch, .signatureInvalid: self = .content
        case .outcomeUnknown: self = .unknownOutcome
        case .resourceTimeExceeded, .noProgress: self = .timeLimit
        case .predecessorFailed: self = .mixed
        case .storeDamaged, .storeFailed, .sessionInUse, .serviceUnavailable, .messageTooLarge, .protocolMismatch,
            .accessDenied, .internalFault:
            self = .service
        case .unknownTransfer, .unknownSession, .keyTaken, .invalidState, .tooManyPendingTaskRequests, .unknownTask:
            self = .noSuchTransfer
        case .interrupted: self = .interrupted
        }
    }

    /// Whether a signal ended the command, and not what happened to a transfer.
    var isSignal: Bool { number > 128 }

    /// The status of several results: the only kind of failure among them, or `mixed`.
    func joined(with other: ExitStatus) -> ExitStatus {
        if self == other || other == .success { return self }
        return self == .success ? other : .mixed
    }
}
