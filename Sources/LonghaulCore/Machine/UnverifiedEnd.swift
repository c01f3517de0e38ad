/// Bodies without a marked end: no length was announced, and the connection or the stream just ended. A broken HTTP/1.1 connection
/// without TLS looks the same (RFC 9112, section 9.8), as does an HTTP/2 stream that was reset without an error.
extension TransferFacts {
    /// Returns whether to request more after a complete body: the server sent only the beginning of the file, or nothing marked the end and
    /// a strong entity tag allows to request the byte after it. A 416 confirms the end, and a part continues the file. Otherwise the
    /// result says that the length could not be verified.
    ///
    /// A crash after that request finds a partial file without a total, and continues as after an interruption.
    mutating func wantsMore(_ length: Int64, _ outcome: ExchangeOutcome, hasDigest: Bool) -> Bool {
        if outcome.head?.isBeginning == true { return true }
        guard outcome.endsUnverified, !hasDigest, let validators = download.validators, validators.total == nil else {
            return false
        }
        download.served.endsUnverified = true
        return length > 0 && ResumeLadder.hasSettledTag(validators)
    }

    /// Sets the totals to those of the file that was moved into place.
    mutating func recordWhole(_ spec: DownloadSpec) {
        let total = spec.expectedLength ?? download.validators?.total ?? bytesTotal ?? bytesDone
        (bytesDone, bytesTotal) = (total, total)
    }
}

extension DownloadFacts {
    /// Returns whether the request is for the byte after an unmarked end.
    func isProbe(_ resume: ResumePoint) -> Bool {
        served.endsUnverified && validators?.total == nil && resume.overlap == 0 && resume.map == nil
    }
}

extension ExchangeOutcome.Disposition {
    /// Whether the server refused a request for the byte after the end without saying whether there is one.
    var leavesEndOpen: Bool {
        if case .refused(let refusal) = self { refusal != .alreadyComplete } else { false }
    }
}

extension TransferMachine {
    /// Ends the check of an unmarked end, because the server sends the whole file again instead of a part. The end cannot be verified:
    /// the bytes received before are moved into place in the next turn.
    mutating func endProbe(at moment: Moment) -> [TransferAction]? {
        guard case .downloading(let resume?) = step, record.facts.download.isProbe(resume) else { return nil }
        record.facts.download.validators?.total = resume.length
        record.facts.bytesTotal = resume.length
        return stop() + waitForTurn(at: moment)
    }
}
