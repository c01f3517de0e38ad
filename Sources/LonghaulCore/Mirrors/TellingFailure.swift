extension TransferFailure {
    /// Returns the failure with the source that caused it, without secrets.
    func naming(_ url: String) -> TransferFailure {
        // The URLs of sources were parsed before.
        guard let source = try? TransferURL(parsing: url).redacted, !summary.hasPrefix(source) else { return self }
        var named = self
        named.summary = source + ": " + summary
        return named
    }

    /// Whether the server's certificate was rejected, by its issuer, name, dates, key, or status.
    var isAboutCertificate: Bool { code == .certificateRejected || code == .notYetValid }

    /// How uninformative the failure of one source is for the user; 0 is the most informative. Wrong bytes are more informative
    /// than a refusal, and a refusal is more informative than a missing file or no response.
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
    /// Returns the failure with its source, if a single one of several sources sent all bytes.
    func namingGiver(_ failure: TransferFailure) -> TransferFailure {
        let givers = (download.mirrors?.places ?? []).filter { $0.bytes > 0 }
        return givers.count == 1 ? failure.naming(givers[0].url) : failure
    }
}
