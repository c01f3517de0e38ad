/// Bodies whose end nothing marks: no length was announced, and the connection or the stream just ended. Over HTTP/1.1 without TLS a
/// broken connection looks the same (RFC 9112, section 9.8), and over HTTP/2 a stream that was reset without an error.
extension TransferFacts {
    /// Whether the byte after the end of a whole body is requested before it is placed: nothing marked its end, and a strong entity tag
    /// allows it. A 416 says that there is none, and a part continues the file. Otherwise the result says that its length could not be
    /// verified.
    ///
    /// A crash after that request finds a partial file without a total, and continues as after a break.
    mutating func wantsProbe(_ length: Int64, _ outcome: ExchangeOutcome, hasDigest: Bool) -> Bool {
        guard outcome.endsUnverified, !hasDigest, let validators = download.validators, validators.total == nil else {
            return false
        }
        download.served.endsUnverified = true
        return length > 0 && ResumeLadder.hasSettledTag(validators)
    }

    /// The totals are those of the file that was placed, whatever was noted while it came.
    mutating func noteWhole(_ spec: DownloadSpec) {
        let total = spec.expectedLength ?? download.validators?.total ?? bytesTotal ?? bytesDone
        (bytesDone, bytesTotal) = (total, total)
    }
}

extension DownloadFacts {
    /// Whether the request is for the byte after an end that nothing marked.
    func isProbe(_ resume: ResumePoint) -> Bool {
        served.endsUnverified && validators?.total == nil && resume.overlap == 0 && resume.map == nil
    }
}

extension ExchangeOutcome.Disposition {
    /// Whether a request for the byte after the end was refused without saying whether there is one.
    var leavesEndOpen: Bool {
        if case .refused(let refusal) = self { refusal != .alreadyComplete } else { false }
    }
}

extension TransferMachine {
    /// The server sends the whole again and no parts, so that the end cannot be verified: the bytes received before are placed in the next turn.
    mutating func endProbe(at moment: Moment) -> [TransferAction]? {
        guard case .downloading(let resume?) = step, record.facts.download.isProbe(resume) else { return nil }
        record.facts.download.validators?.total = resume.length
        record.facts.bytesTotal = resume.length
        return stop() + waitForTurn(at: moment)
    }
}
