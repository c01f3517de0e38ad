/// A newer version that a server sends may be a wrong response, or be interrupted. So the bytes of the version before stay in their partial file,
/// and the newer one is written to the other of two. The record says which file is which, in one commit; no file is renamed.
extension PartialFiles {
    /// Beside the destination, so that the final link stays within one file system.
    func path(of id: TransferID, in directory: String, isOther: Bool = false) -> String {
        "\(directory)/\(PartialName.make(id, isSecond: usesSecond != isOther))"
    }

    /// The other file, if it may exist.
    func otherPath(of id: TransferID, in directory: String) -> String? {
        mayHaveOther ? path(of: id, in: directory, isOther: true) : nil
    }

    func paths(of id: TransferID, in directory: String) -> [String] {
        let path = path(of: id, in: directory)
        let copy = formerDirectories.isEmpty ? [] : [PartialName.copy(of: path)]
        return [path] + (otherPath(of: id, in: directory).map { [$0] } ?? []) + copy
    }

    /// The paths of all files that may exist in former directories.
    func formerPaths(of id: TransferID) -> [String] { formerDirectories.flatMap { paths(of: id, in: $0) } }

    func allPaths(of id: TransferID, in directory: String) -> [String] {
        paths(of: id, in: directory) + formerPaths(of: id)
    }

    /// The other file if it holds nothing that is kept.
    func unneededPath(of id: TransferID, in directory: String) -> String? {
        kept == nil ? otherPath(of: id, in: directory) : nil
    }

    /// Whether a response is of the kept version.
    func isOfKept(_ head: ResponseHead) -> Bool {
        kept?.value.validators.isOfSameVersion(as: ValidatorReading.validators(from: head)) ?? false
    }

    /// Whether the server may have the kept version again: it refused the newer one, and names no third.
    func mayBeServed(after outcome: ExchangeOutcome) -> Bool {
        guard let kept = kept?.value, outcome.disposition == .refused(.changed) else { return false }
        return outcome.head?.headers.single("ETag").map { $0 == kept.validators.entityTag } ?? true
    }
}

extension DownloadFacts {
    /// Returns the move to the present directory; `nil` if no file can be elsewhere. Without an accepted head the bytes are not moved.
    func move(of id: TransferID) -> PartialMove? {
        guard !files.formerDirectories.isEmpty else { return nil }
        let sources = validators != nil ? files.formerDirectories.map { files.path(of: id, in: $0) } : []
        return PartialMove(from: sources, leftovers: files.formerPaths(of: id).filter { !sources.contains($0) })
    }
}

extension TransferFacts {
    /// Whether there may be a partial file to resume or to move. Without an accepted head nothing in it can be trusted, so its length
    /// does not matter.
    func mayHaveFile(_ spec: DownloadSpec) -> Bool {
        download.validators != nil || !download.files.formerDirectories.isEmpty || awaitsProof(spec)
    }

    /// Below this, a restart costs less than a file.
    private static let leastKept: Int64 = 1 << 20

    /// Keeps the bytes that there are, and turns to the other file. Of two versions, the one of which there is more is kept. Returns
    /// `false` if nothing has changed.
    ///
    /// The caller forgets the version in the same commit. A crash after it writes the other file from byte 0.
    mutating func keepVersion(from source: String, _ spec: DownloadSpec?) -> Bool {
        guard let validators = download.validators, download.foreign != .copied, spec?.isFollowed == false,
            bytesDone >= max(Self.leastKept, (download.files.kept?.value.bytes ?? 0) + 1)
        else { return false }
        var kept = KeptVersion(validators)
        kept.effectiveURL = download.effectiveURL
        kept.suggestedName = download.suggestedName
        kept.offeredDigests = download.offeredDigests
        kept.syncedLength = download.syncedLength
        kept.bootID = download.bootID
        kept.segments = download.segments
        kept.served = download.served
        kept.bytes = bytesDone
        kept.source = source
        download.files.kept = CopyOnWrite(kept)
        download.files.mayHaveOther = true
        download.files.usesSecond.toggle()
        return true
    }

    /// The kept version is the one that is downloaded. Its file is measured next, before which the other one is deleted.
    mutating func restoreKept() {
        guard let kept = download.files.kept?.value else { return }
        forgetVersion()
        download.validators = kept.validators
        download.effectiveURL = kept.effectiveURL
        download.suggestedName = kept.suggestedName
        download.offeredDigests = kept.offeredDigests
        download.syncedLength = kept.syncedLength
        download.bootID = kept.bootID
        download.segments = kept.segments
        download.served = kept.served
        download.mirrors?.restoreVersion(of: kept.source)
        (bytesDone, bytesTotal) = (kept.bytes, kept.validators.total)
        download.files.kept = nil
        download.files.usesSecond.toggle()
    }

    /// The transfer has succeeded: a kept version is deleted.
    mutating func abandonFiles() {
        guard download.files != PartialFiles() else { return }
        download.files.kept = nil
        cleanup.insert(.partialFile)
    }

    /// Records that the files may be in this former directory. A kept version is given up, since only one file is moved.
    mutating func leaveDirectory(_ directory: String) {
        _ = giveUpKept()
        if !download.files.formerDirectories.contains(directory) {
            download.files.formerDirectories.append(directory)
        }
    }

    /// Gives the kept version up, since the disk is full or the download moves. Returns whether there was one.
    mutating func giveUpKept() -> Bool {
        guard download.files.kept != nil else { return false }
        download.files.kept = nil
        // No byte of the newer version has come: it is written over the kept one.
        if download.validators == nil { download.files.usesSecond.toggle() }
        return true
    }
}

extension TransferMachine {
    /// Resumes the kept version in its turn. A body that is not the file counts as a restart; a newer version did when it came.
    mutating func takeBack(because failure: TransferFailure, at moment: Moment) -> [TransferAction] {
        record.facts.restoreKept()
        record.facts.lastFailure = failure
        if failure.code != .contentChanged { record.facts.restarts += 1 }
        let actions = leaveExchange()
        guard record.facts.restarts <= TransferRecord.restartLimit else { return actions + fail(failure, at: moment) }
        return actions + waitForTurn(at: moment)
    }

    /// The answer to a request for the whole file, after a version was refused. `nil` if it may be the next one.
    mutating func judgedBesideKept(_ head: ResponseHead, at moment: Moment) -> [TransferAction]? {
        switch WholeBodyRule.verdict(on: head, besideKept: record) {
        case .takeBack(let failure): takeBack(because: failure, at: moment)
        case .refuse(let failure): leaveExchange() + lost(failure, at: moment)
        case nil: nil
        }
    }

    /// Ends an exchange whose file is not, or never becomes, that of the version that is downloaded: nothing that it still reports counts.
    private mutating func leaveExchange() -> [TransferAction] {
        if step != nil { step = .measuring }
        return stop()
    }
}

extension ExchangeOutcome {
    /// The head of a body that was written, or is in memory.
    var headOfBody: ResponseHead? {
        switch disposition {
        case .written, .held: head
        case .none, .overlapDiffers, .refused: nil
        }
    }
}

extension TransferFailure {
    static let wrongPieces = TransferFailure(
        .digestMismatch, "The pieces of the new version of the file do not match their digests.")
}
