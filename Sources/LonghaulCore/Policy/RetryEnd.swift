/// Why a failed transfer is not tried again by itself.
package enum RetryEnd: Int, Equatable, Sendable, CaseIterable {
    /// The same request would fail the same way, or a person has to look first.
    case pointless = 0
    /// The server may have done what was asked, and doing it twice might do harm.
    case mightRepeat = 1
    /// It failed as often in a row without progress as `retryLimit` allows.
    case triesUsedUp = 2
    /// One of its limits of time has passed.
    case timeUsedUp = 3
    /// It takes other credentials, and names none that could be asked for.
    case credentials = 4
    /// The host does not exist, and a submission whose user waits allows fewer retries for that.
    case unknownHost = 5
}

extension RetryEnd {
    /// Why this transfer is not tried again by itself, by the same table that decided so; `nil` if it has not failed.
    package init?(_ record: TransferRecord) {
        guard case .failed(let failure) = record.state else { return nil }
        let facts = record.facts
        switch RetryPolicy.decide(failure, headers: facts.response?.headers ?? [], for: record) {
        case .needsCredentials: self = .credentials
        // It would have waited, had any retry been allowed.
        case .whenNetworkReturns, .whenSpaceIsFree, .whenMounted, .whenClockChanges: self = .triesUsedUp
        case .later:
            let limit = record.facts.retryLimit(after: failure, record.spec.options)
            let isRepeatable = TransferMachine(record).isSafeToSendAgain
            let isShortened = limit < record.spec.options.retryLimit
            self =
                facts.failuresInARow > limit
                ? isShortened ? .unknownHost : .triesUsedUp : isRepeatable ? .pointless : .mightRepeat
        case .never where failure.code == .outcomeUnknown: self = .mightRepeat
        case .never where failure.code == .resourceTimeExceeded || failure.code == .noProgress: self = .timeUsedUp
        case .never: self = .pointless
        }
    }
}
