/// Whether trying again helps.
package enum RetryAdvice: Equatable, Sendable {
    /// The same request gives the same failure.
    case never
    /// After a back-off; `countsAttempt` when it uses up one of the transfer's retries.
    case later(countsAttempt: Bool)
    case whenNetworkReturns
    case whenSpaceIsFree
    case whenMounted
    /// The clock of this machine is wrong, or the time has not come.
    case whenClockChanges
    /// Once someone gives others.
    case needsCredentials
}

/// The table of failures: what becomes of an attempt that broke, or was refused. Which code a status has says `failure(forStatus:)`;
/// `TransferMachine.interrupted` asks the table. A request that must not be repeated is not brought here once it may have been done
/// (``ResendRule``).
package enum RetryPolicy {
    /// `headers` are those of the response that failed, if there was one.
    package static func decide(_ failure: TransferFailure, headers: [HeaderField]) -> RetryAdvice {
        switch failure.code {
        // No interface or route is up, or no resolver answers: trying would only burn attempts.
        case .offline, .nameLookupFailed: return .whenNetworkReturns
        // Someone else answers for the network; the server itself was not reached.
        case .captivePortal: return .whenNetworkReturns

        // Names, hosts and ways come back: a deployment, a cable. It counts, for they may be misspelt.
        case .hostNotFound, .connectionRefused, .connectionFailed: return .later(countsAttempt: true)
        // The usual breaks of a long transfer; won bytes set the count back.
        case .connectionLost, .timedOut: return .later(countsAttempt: true)
        // A handshake that broke half-way. What a certificate is wrong with stays wrong: see `certificateRejected`.
        case .tlsFailed, .proxyFailed: return .later(countsAttempt: true)
        // The body ended early or late; the rest can be asked for.
        case .lengthMismatch: return .later(countsAttempt: true)
        case .serverBusy: return .later(countsAttempt: true)
        case .serverFailed:
            return isLastingServerFailure(failure.origin, headers) ? .never : .later(countsAttempt: true)
        // A body that is too large now may not be later, when the server says so (RFC 9110, section 15.5.14).
        case .requestRejected:
            let isPassing = failure.origin == .status(413) && !headers.all("Retry-After").isEmpty
            return isPassing ? .later(countsAttempt: true) : .never

        // Longhaul itself stopped, or has open files of other transfers until one of those ends.
        case .interrupted, .tooManyOpenFiles: return .later(countsAttempt: false)
        case .diskFull: return .whenSpaceIsFree
        case .notMounted: return .whenMounted
        case .credentialsRequired: return .needsCredentials

        // What was asked must be asked differently.
        case .invalidArgument, .invalidURL, .unsupportedScheme, .unknownTransfer, .unknownSession, .keyTaken,
            .invalidState:
            return .never
        // A person must look at the file or the directory.
        case .sourceMissing, .sourceUnreadable, .sourceChanged, .destinationExists, .destinationUnwritable, .fileFailed:
            return .never
        // A machine without a battery for its clock starts in the past, and is corrected later.
        case .notYetValid: return .whenClockChanges
        // Trust is a decision, not a matter of time. A certificate has mostly expired because its server
        // did not renew it, so an expired one ends the transfer whatever the clock says.
        case .certificateRejected: return .never
        // The server understood and said no.
        case .notFound, .forbidden, .redirectRefused, .preconditionFailed: return .never
        // Starting over is a decision of the machine, a bounded number of times, and no retry.
        case .protocolViolation, .contentChanged, .digestMismatch, .signatureInvalid, .uploadGone: return .never
        // Sending it again could do it twice.
        case .outcomeUnknown: return .never
        // The limits that end retrying.
        case .resourceTimeExceeded, .noProgress: return .never
        // It was not tried.
        case .predecessorFailed: return .never
        // These are about background tasks.
        case .tooManyPendingTaskRequests, .unknownTask: return .never
        // Longhaul's own trouble is not the transfer's, and is not got over by transferring.
        case .storeDamaged, .storeFailed, .sessionInUse, .serviceUnavailable, .messageTooLarge, .protocolMismatch,
            .accessDenied, .internalFault:
            return .never
        }
    }

    /// The same for this transfer. A removable drive that is unplugged reports errors until the system unmounts it, and then its
    /// directory may be missing: the next attempt finds that it is not mounted.
    static func decide(
        _ failure: TransferFailure, headers: [HeaderField], for record: TransferRecord
    ) -> RetryAdvice {
        let advice = decide(failure, headers: headers)
        guard advice == .never, record.spec.download?.mountPoint != nil, case .system = failure.origin else {
            return advice
        }
        let mayBeUnplugged = [.fileFailed, .destinationUnwritable].contains(failure.code)
        return mayBeUnplugged && record.facts.failuresInARow == 0 ? .later(countsAttempt: true) : .never
    }

    /// Returns whether only the user or the server's operator can remove the cause, so that another body would be sent for
    /// nothing. The server cannot do it (501, 505), is configured wrongly (506, 508), requires more of the client (510), or has
    /// no room. A request that met 507 must not be repeated without a separate action of the user (RFC 4918, section 11.5).
    /// 509 is used for a quota, which passes only if the server states when.
    private static func isLastingServerFailure(_ origin: TransferFailure.Origin, _ headers: [HeaderField]) -> Bool {
        switch origin {
        case .status(501), .status(505), .status(506), .status(507), .status(508), .status(510): true
        case .status(509): headers.all("Retry-After").isEmpty
        case .status, .longhaul, .curl, .system, .sqlite: false
        }
    }
}
