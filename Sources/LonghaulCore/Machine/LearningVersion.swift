/// Facts about the version that a download receives.
extension TransferFacts {
    /// Records the version of a body that is written from byte 0.
    mutating func accept(_ head: ResponseHead, offered: [Digest]) {
        let validators = ValidatorReading.validators(from: head)
        bytesDone = 0
        bytesTotal = validators.total
        download.syncedLength = 0
        download.segments = nil
        download.validators = validators
        download.mirrors?.acceptVersion()
        download.effectiveURL = head.effectiveURL
        download.served = ServedVersion()
        download.served.mediaType = head.mediaType
        download.served.isIdentified = validators.entityTag != nil && validators.total != nil
        download.offeredDigests = offered
        download.suggestedName = SafeFileName.make(
            from: head.headers.single("Content-Disposition").flatMap(ContentDisposition.fileName),
            url: head.effectiveURL)
    }

    /// Records a written body. Returns whether it is complete. A small body has no separate event for its headers,
    /// which arrive with its end.
    mutating func recordWritten(
        _ outcome: ExchangeOutcome, _ isComplete: Bool, _ resume: ResumePoint?, isUnannounced: Bool, bootID: String
    ) -> Bool {
        let isWhole = isComplete && outcome.ending == .responded
        if let head = outcome.head, resume != nil {
            learnTotal(from: head)
            if isComplete { download.recordServing(head) }
        } else if let head = outcome.head, isUnannounced || isComplete && download.isOfAnother(head) {
            accept(head, offered: DigestFields.offered(in: head.headers, isWhole: !head.isBeginning))
            download.bootID = bootID
        }
        download.closeParts(isWhole: isWhole, resume, bootID: bootID)
        guard isWhole else { return false }
        if let head = outcome.head { prove(by: head, bootID: bootID) }
        return true
    }

    /// Records the version of a complete file that arrived although its exchange was being stopped.
    mutating func keepWhole(_ outcome: ExchangeOutcome, of wanted: DownloadSpec, bootID: String) {
        guard case .written(_, isComplete: true) = outcome.disposition, outcome.ending == .responded,
            let head = outcome.head, !wanted.isOfWrongLength(head),
            download.validators?.isOfSameVersion(as: ValidatorReading.validators(from: head)) != true
        else { return }
        // Nothing was synced when the body began.
        let synced = download.syncedLength
        accept(head, offered: DigestFields.offered(in: head.headers, isWhole: !head.isBeginning))
        download.syncedLength = synced
        download.bootID = bootID
    }

    /// Records the total length from a part, if the first response did not have it.
    mutating func learnTotal(from head: ResponseHead) {
        guard download.validators?.total == nil, let total = ValidatorReading.total(of: head) else { return }
        download.validators?.total = total
        bytesTotal = total
    }

    /// Discards the version of the current bytes.
    mutating func forgetVersion() {
        bytesDone = 0
        download.validators = nil
        download.segments = nil
        download.effectiveURL = nil
        download.served = download.served.ofDiscardedBytes
        download.mirrors?.forgetVersion()
    }
}

extension ResponseHead {
    /// Whether an accepted response to a request for the whole file has only its beginning.
    var isBeginning: Bool { status == 206 }
}

extension DownloadFacts {
    /// Closes the map of parts at the end of an exchange. If the file has no holes, because they are filled or no other
    /// connection had written yet, its length counts. Unsynced bytes count until the next boot. A file that was resumed
    /// with a map may have bytes beyond its end that do not count.
    mutating func closeParts(isWhole: Bool, _ resume: ResumePoint?, bootID: String) {
        guard let map = segments, isWhole || resume?.map == nil && map.end == map.front else { return }
        syncedLength = map.front
        self.bootID = bootID
        segments = nil
    }

    /// Discards all but the first bytes, because other parts differ from them where they meet.
    mutating func keepFirst(_ length: Int64) { segments = SegmentMap([0..<length]) }

    /// Returns how many bytes of the file count after a download was stopped. Without validators, their version is
    /// unknown.
    mutating func recordStopped(_ outcome: ExchangeOutcome, _ resume: ResumePoint?, bootID: String) -> Int64? {
        if case .partsDiffer(let length) = outcome.disposition, validators != nil {
            keepFirst(length)
            return length
        }
        guard case .written(let length, let isComplete) = outcome.disposition, validators != nil else { return nil }
        closeParts(isWhole: isComplete && outcome.ending == .responded, resume, bootID: bootID)
        return segments?.count ?? length
    }
}
