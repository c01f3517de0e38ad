/// The reason why a failed transfer is not retried automatically.
package enum RetryEnd: Int, Equatable, Sendable, CaseIterable {
    /// The same request would fail in the same way, or the user must check first.
    case pointless = 0
    /// The server may have processed the request, and a repetition might do harm.
    case mightRepeat = 1
    /// As many failures in a row without progress as `retryLimit` allows.
    case triesUsedUp = 2
    /// A time limit passed.
    case timeUsedUp = 3
    /// Other credentials are required, and the transfer names none that could be requested.
    case credentials = 4
    /// The host does not exist, and the submission allows fewer retries for that, because its user is waiting.
    case unknownHost = 5
}

extension RetryEnd {
    /// Returns the reason that was stored when the transfer failed; `nil` if it has not failed.
    package init?(_ record: TransferRecord) {
        guard case .failed(let failure) = record.state else { return nil }
        // Versions before 0.2 stored no reason.
        self = record.facts.retryEnd ?? RetryEnd(failure, nil, record)
    }

    /// Creates the reason for the end of a transfer.
    ///
    /// - Parameter advice: The advice that followed the failure; `nil` if the failure alone determines it.
    init(_ failure: TransferFailure, _ advice: RetryAdvice?, _ record: TransferRecord) {
        switch advice ?? RetryPolicy.decide(failure, headers: [], for: record) {
        case .needsCredentials: self = .credentials
        // The transfer would have waited if any retry had been allowed.
        case .whenNetworkReturns, .whenSpaceIsFree, .whenMounted, .whenUnlocked, .whenClockChanges: self = .triesUsedUp
        case .later:
            let limit = record.facts.retryLimit(after: failure, record.spec.options)
            let isRepeatable = TransferMachine(record).isSafeToSendAgain
            let isShortened = limit < record.spec.options.retryLimit
            self =
                record.facts.failuresInARow > limit
                ? isShortened ? .unknownHost : .triesUsedUp : isRepeatable ? .pointless : .mightRepeat
        case .never where failure.code == .outcomeUnknown: self = .mightRepeat
        case .never where failure.code == .resourceTimeExceeded || failure.code == .noProgress: self = .timeUsedUp
        case .never: self = .pointless
        }
    }
}
