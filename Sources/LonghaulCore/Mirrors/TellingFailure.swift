extension TransferFailure {
    /// The failure with the source that caused it, without secrets.
    func naming(_ url: String) -> TransferFailure {
        // Sources were read before.
        guard let source = try? TransferURL(parsing: url).redacted, !summary.hasPrefix(source) else { return self }
        var named = self
        named.summary = source + ": " + summary
        return named
    }

    /// How little a failure of one source says about why a file cannot be had; 0 says most. A source whose bytes were wrong says more
    /// than one that refused, and one that refused more than one that has no such file or did not answer.
    var rank: Int {
        switch code {
        case .digestMismatch, .signatureInvalid: 0
        case .contentChanged, .lengthMismatch: 1
        case .certificateRejected, .notYetValid: 2
        case .credentialsRequired: 3
        case .forbidden: 4
        case .requestRejected, .redirectRefused, .preconditionFailed, .protocolViolation: 5
        case .serverFailed, .serverBusy: 6
        case .notFound: 7
        default: 8
        }
    }
}

extension TransferFacts {
    /// The failure with its source, if one of several sources sent all bytes.
    func namingGiver(_ failure: TransferFailure) -> TransferFailure {
        let givers = (download.mirrors?.places ?? []).filter { $0.bytes > 0 }
        return givers.count == 1 ? failure.naming(givers[0].url) : failure
    }
}
