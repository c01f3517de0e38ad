/// Downloads that go on with what another program left: its copy becomes the partial file, and the first answer proves it or not.
extension TransferFacts {
    /// Whether the partial file is, or is to be, a copy that nothing has proved yet.
    func awaitsProof(_ spec: DownloadSpec) -> Bool {
        guard let foreign = spec.foreign, foreign.file.pin.size > 0 else { return false }
        return download.foreign != .settled && download.validators == nil
    }

    /// The file that is to be copied before anything is asked for.
    func fileToCopy(_ spec: DownloadSpec) -> SourceFile? {
        awaitsProof(spec) && download.foreign == .untouched ? spec.foreign?.file : nil
    }

    /// How it goes on with a copy of this length; `nil` when that is none, and the file has to be copied once more.
    mutating func takeCopy(of length: Int64?, _ spec: DownloadSpec) -> ResumeDecision? {
        guard let foreign = spec.foreign, length == foreign.file.pin.size else {
            download.foreign = .untouched
            return nil
        }
        download.foreign = .copied
        return ContinuationRule.plan(
            foreign, isProvable: spec.provesWhole, expectedLength: spec.expectedLength)
    }

    /// The copy is what the server has there: its version is that of this answer.
    mutating func prove(by head: ResponseHead, bootID: String) {
        guard download.foreign == .copied else { return }
        let (done, synced) = (bytesDone, download.syncedLength)
        accept(head, offered: DigestFields.offered(in: head.headers, isWhole: false))
        (bytesDone, download.syncedLength) = (done, synced)
        download.bootID = bootID
        download.foreign = .settled
    }

    /// What ends a download whose copy an answer did not prove, where no digest decides at the end. The copy is not needed any more.
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
    fileprivate var provesWhole: Bool { expectedDigest != nil || pieces != nil }
}
