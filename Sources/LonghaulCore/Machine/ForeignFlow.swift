/// Downloads that resume another program's partial file. The partial file is a copy of it, which the first response
/// proves or not.
extension TransferFacts {
    /// Whether the partial file is, or will be, an unproven copy.
    func awaitsProof(_ spec: DownloadSpec) -> Bool {
        guard let foreign = spec.foreign, foreign.file.pin.size > 0 else { return false }
        return download.foreign != .settled && download.validators == nil
    }

    /// Returns the file to copy before the first request.
    func fileToCopy(_ spec: DownloadSpec) -> SourceFile? {
        awaitsProof(spec) && download.foreign == .untouched ? spec.foreign?.file : nil
    }

    /// Returns how to resume from a copy of this length; `nil` if the copy is incomplete and must be repeated.
    mutating func takeCopy(of length: Int64?, _ spec: DownloadSpec) -> ResumeDecision? {
        guard let foreign = spec.foreign, length == foreign.file.pin.size else {
            download.foreign = .untouched
            return nil
        }
        download.foreign = .copied
        return ContinuationRule.plan(
            foreign, isProvable: spec.provesWhole, expectedLength: spec.expectedLength)
    }

    /// Records that the copy matches the server's file: its version is that of the response.
    mutating func prove(by head: ResponseHead, bootID: String) {
        guard download.foreign == .copied else { return }
        let (done, synced) = (bytesDone, download.syncedLength)
        accept(head, offered: DigestFields.offered(in: head.headers, isWhole: false))
        (bytesDone, download.syncedLength) = (done, synced)
        download.bootID = bootID
        download.foreign = .settled
    }

    /// Returns the failure of a download whose copy a response did not prove, if no digest decides at the end. The copy
    /// is deleted.
    mutating func disprove(
        by disposition: ExchangeOutcome.Disposition, _ spec: DownloadSpec
    ) -> TransferFailure? {
        guard download.foreign == .copied, !spec.provesWhole, let foreign = spec.foreign,
            let doubt = ContinuationDoubt(disposition)
        else { return nil }
        download.foreign = .untouched
        download.syncedLength = 0
        (bytesDone, progressMark) = (0, 0)
        cleanup.insert(.partialFile)
        return doubt.failure(foreign.file.path)
    }
}

extension DownloadSpec {
    /// Whether a digest that was known beforehand decides at the end.
    var provesWhole: Bool { expectedDigest != nil || pieces != nil }
}
