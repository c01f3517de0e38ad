/// The advice whether to retry.
package enum RetryAdvice: Equatable, Sendable {
    /// The same request gives the same failure.
    case never
    /// After a backoff. `countsAttempt`: it uses up one of the transfer's retries.
    case later(countsAttempt: Bool)
    case whenNetworkReturns
    case whenSpaceIsFree
    case whenMounted
    case whenUnlocked
    /// The clock of this machine is wrong, or the certificate is not valid yet.
    case whenClockChanges
    /// Once the user or the app supplies other credentials.
    case needsCredentials
}

/// The table of failures: what follows an interrupted or refused attempt. `failure(forStatus:)` maps a status to its
/// code; `TransferMachine.interrupted` uses the table. A request that must not be repeated never gets here once it may
/// have been processed (``ResendRule``).
package enum RetryPolicy {
    /// Returns the advice. `headers` are those of the failed response, if there was one.
    package static func decide(_ failure: TransferFailure, headers: [HeaderField]) -> RetryAdvice {
        switch failure.code {
        // No interface or route is up, or no resolver answers: an attempt would only use up retries.
        case .offline, .nameLookupFailed: return .whenNetworkReturns
        // A captive portal answers for the network; the server was not reached.
        case .captivePortal: return .whenNetworkReturns
        // Hosts, names, and routes return after a deployment or a cable fault. The attempt counts, because a name may
        // be misspelled.
        case .hostNotFound, .connectionRefused, .connectionFailed: return .later(countsAttempt: true)
        // The usual interruptions of a long transfer. Progress resets the count.
        case .connectionLost, .timedOut: return .later(countsAttempt: true)
        // A handshake that was interrupted, unless Longhaul knows that it would always fail.
        case .tlsFailed: return failure.origin == .longhaul ? .never : .later(countsAttempt: true)
        case .proxyFailed: return isLastingProxyFailure(failure.origin, headers) ? .never : .later(countsAttempt: true)
        // The body ended early or late; the rest can be requested.
        case .lengthMismatch, .serverBusy: return .later(countsAttempt: true)
        case .serverFailed:
            return isLastingServerFailure(failure.origin, headers) ? .never : .later(countsAttempt: true)
        // The server may state that its answer will change: to a body that is too large now (RFC 9110, section 15.5.14), or beyond a limit
        // of requests that GitHub reports with 403.
        case .requestRejected, .forbidden:
            let mayPass = failure.origin == .status(413) || failure.origin == .status(403)
            return mayPass && RetryAfter.isStated(in: headers) ? .later(countsAttempt: true) : .never

        // Longhaul itself stopped, or the open files of other transfers reach the limit until one of them ends.
        case .interrupted, .tooManyOpenFiles: return .later(countsAttempt: false)
        case .diskFull: return .whenSpaceIsFree
        case .notMounted: return .whenMounted
        case .credentialsRequired: return .needsCredentials

        // The request must change.
        case .invalidArgument, .invalidURL, .unsupportedScheme, .unknownTransfer, .unknownSession, .keyTaken,
            .invalidState:
            return .never
        // The user must check the file or the directory.
        case .sourceMissing, .sourceUnreadable, .sourceChanged, .destinationExists, .destinationUnwritable, .fileFailed:
            return .never
        // A machine without a battery for its clock starts in the past, and is corrected later.
        case .notYetValid: return .whenClockChanges
        // Trust is a decision, not a matter of time. A certificate has usually expired because its server did not renew
        // it, so an expired one ends the transfer, whatever the clock says.
        case .certificateRejected: return .never
        // The server understood the request and refused it.
        case .notFound, .redirectRefused, .preconditionFailed: return .never
        // The state machine decides to start over, a limited number of times. This is not a retry.
        case .protocolViolation, .contentChanged, .digestMismatch, .signatureInvalid, .uploadGone: return .never
        // A repetition could perform the request twice.
        case .outcomeUnknown: return .never
        // The limits that end retries.
        case .resourceTimeExceeded, .noProgress: return .never
        // The transfer did not start.
        case .predecessorFailed: return .never
        // These codes are about background tasks.
        case .tooManyPendingTaskRequests, .unknownTask: return .never
        // Internal failures of Longhaul. A repeated transfer does not resolve them.
        case .storeDamaged, .storeFailed, .sessionInUse, .serviceUnavailable, .messageTooLarge, .protocolMismatch,
            .accessDenied, .internalFault:
            return .never
        }
    }

    /// The number of Apple's error for a file that cannot be read (`NSURLErrorNoPermissionsToReadFile`). The file was readable
    /// at the submission, so the device has been locked since.
    package static let lockedFile = -1_102

    /// Returns the advice for this transfer. An unplugged drive reports errors until the system unmounts it, and then
    /// its directory may be missing: the next attempt finds that the drive is not mounted.
    static func decide(
        _ failure: TransferFailure, headers: [HeaderField], for record: TransferRecord
    ) -> RetryAdvice {
        let advice = decide(failure, headers: headers)
        // Some servers ban an address for a while after several connections at once. This URL has served the file before.
        let download = record.facts.download
        if failure.code == .forbidden, download.validators != nil,
            record.facts.restarts > 0 || download.segments != nil
        {
            return .later(countsAttempt: true)
        }
        guard advice == .never, case .system(let number) = failure.origin else { return advice }
        // A process of Apple's system, whose numbers are negative, may have looked in a container that was moved. The next
        // attempt checks the file itself.
        if failure.code == .sourceMissing, number < 0 { return .later(countsAttempt: true) }
        if failure.code == .sourceUnreadable, number == lockedFile { return .whenUnlocked }
        let mayBeUnplugged =
            switch failure.code {
            case .fileFailed, .destinationUnwritable: record.spec.download?.mountPoint != nil
            case .sourceMissing, .sourceUnreadable: record.spec.sources.contains { $0.mountPoint != nil }
            default: false
            }
        return mayBeUnplugged && record.facts.failuresInARow == 0 ? .later(countsAttempt: true) : .never
    }

    /// Returns whether a proxy's failure has a cause that does not pass: an invalid setting or script, a rule of the proxy,
    /// or a missing file or program. A status of the proxy is judged like that of a server.
    private static func isLastingProxyFailure(_ origin: TransferFailure.Origin, _ headers: [HeaderField]) -> Bool {
        switch origin {
        case .longhaul, .system(missingFile), .system(forbiddenFile): return true
        case .status(let status):
            let head = ResponseHead(status: status, headers: headers, effectiveURL: "")
            return decide(failure(forStatus: status, head: head, url: ""), headers: headers) == .never
        case .curl, .system, .sqlite: return false
        }
    }

    /// ENOENT.
    private static let missingFile = 2
    /// EACCES.
    private static let forbiddenFile = 13

    /// Returns whether only the user or the server's operator can remove the cause, so that another body would be sent
    /// for nothing. The server does not support the request (501, 505), is configured wrongly (506, 508), requires more
    /// of the client (510), or has no room. After a 507, a request must not be repeated without a separate action of
    /// the user (RFC 4918, section 11.5). A 509 reports a quota, which passes only if the server states when.
    private static func isLastingServerFailure(_ origin: TransferFailure.Origin, _ headers: [HeaderField]) -> Bool {
        switch origin {
        case .status(501), .status(505), .status(506), .status(507), .status(508), .status(510): true
        case .status(509): !RetryAfter.isStated(in: headers)
        case .status, .longhaul, .curl, .system, .sqlite: false
        }
    }
}
