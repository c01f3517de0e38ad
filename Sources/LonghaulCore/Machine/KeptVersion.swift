/// A newer version may be a wrong response, or its transfer may be interrupted. So the bytes of the previous version stay in their
/// partial file, and the newer version is written to a second one. The record says in one commit which file is which; no file is renamed.
extension PartialFiles {
    /// Returns a path in the destination directory, so that the final link stays within one file system.
    func path(of id: TransferID, in directory: String, isOther: Bool = false) -> String {
        "\(directory)/\(PartialName.make(id, isSecond: usesSecond != isOther))"
    }

    /// Returns the path of the other file, if it may exist.
    func otherPath(of id: TransferID, in directory: String) -> String? {
        mayHaveOther ? path(of: id, in: directory, isOther: true) : nil
    }

    func paths(of id: TransferID, in directory: String) -> [String] {
        let path = path(of: id, in: directory)
        let copy = formerDirectories.isEmpty ? [] : [PartialName.copy(of: path)]
        return [path] + (otherPath(of: id, in: directory).map { [$0] } ?? []) + copy
    }

    /// Returns the paths of all files that may exist in former directories.
    func formerPaths(of id: TransferID) -> [String] { formerDirectories.flatMap { paths(of: id, in: $0) } }

    func allPaths(of id: TransferID, in directory: String) -> [String] {
        paths(of: id, in: directory) + formerPaths(of: id)
    }

    /// Returns the other file if it contains no kept version.
    func unneededPath(of id: TransferID, in directory: String) -> String? {
        kept == nil ? otherPath(of: id, in: directory) : nil
    }

    /// Returns whether a response is of the kept version.
    func isOfKept(_ head: ResponseHead) -> Bool {
        kept?.value.validators.isOfSameVersion(as: ValidatorReading.validators(from: head)) ?? false
    }

    /// Returns whether the server may serve the kept version again: it refused the newer one, and names no third.
    func mayBeServed(after outcome: ExchangeOutcome) -> Bool {
        guard let kept = kept?.value, outcome.disposition == .refused(.changed) else { return false }
        return outcome.head?.headers.single("ETag").map { $0 == kept.validators.entityTag } ?? true
    }
}

extension DownloadFacts {
    /// Returns the move to the current directory; `nil` if no file can be elsewhere. Without an accepted response, the bytes are not
    /// moved.
    func move(of id: TransferID) -> PartialMove? {
        guard !files.formerDirectories.isEmpty else { return nil }
        let sources = validators != nil ? files.formerDirectories.map { files.path(of: id, in: $0) } : []
        return PartialMove(from: sources, leftovers: files.formerPaths(of: id).filter { !sources.contains($0) })
    }
}

extension TransferFacts {
    /// Whether there may be a partial file to resume or to move. Without an accepted response, nothing in the file can be trusted, so its
    /// length does not matter.
    func mayHaveFile(_ spec: DownloadSpec) -> Bool {
        download.validators != nil || !download.files.formerDirectories.isEmpty || awaitsProof(spec)
    }

    /// Below this size, a restart costs less than a second file.
    private static let leastKept: Int64 = 1 << 20

    /// Keeps the current bytes, and switches to the other file. Of two versions, the one with more bytes is kept. Returns `false` if
    /// nothing has changed.
    ///
    /// The caller discards the version in the same commit. A crash afterwards writes the other file from byte 0.
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

    /// Makes the kept version the current one. The next step measures its file, and first deletes the other one.
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

    /// Deletes a kept version after the transfer has succeeded.
    mutating func abandonFiles() {
        guard download.files != PartialFiles() else { return }
        download.files.kept = nil
        cleanup.insert(.partialFile)
    }

    /// Records that the files may be in this former directory. A kept version is discarded, because only one file is moved.
    mutating func leaveDirectory(_ directory: String) {
        _ = giveUpKept()
        if !download.files.formerDirectories.contains(directory) {
            download.files.formerDirectories.append(directory)
        }
    }

    /// Discards the kept version, because the disk is full or the download moves. Returns whether there was one.
    mutating func giveUpKept() -> Bool {
        guard download.files.kept != nil else { return false }
        download.files.kept = nil
        // No byte of the newer version has arrived, so it overwrites the kept one.
        if download.validators == nil { download.files.usesSecond.toggle() }
        return true
    }
}

extension TransferMachine {
    /// Resumes the kept version in its turn. A body that is not the file counts as a restart; a newer version did so on arrival.
    mutating func takeBack(because failure: TransferFailure, at moment: Moment) -> [TransferAction] {
        record.facts.restoreKept()
        record.facts.lastFailure = failure
        if failure.code != .contentChanged { record.facts.restarts += 1 }
        let actions = leaveExchange()
        let mayRestart = record.facts.restarts <= TransferRecord.restartLimit
        return actions
            + (mayRestart ? waitForTurn(at: moment) : fail(record.facts.explainedRestarts(failure), at: moment))
    }

    /// Rejects a whole body that is of the kept version, or that cannot be the file by the facts of earlier responses. Returns `nil` if
    /// it may be the next version.
    mutating func rejectedInsteadOfWhole(_ head: ResponseHead, at moment: Moment) -> [TransferAction]? {
        switch WholeBodyRule.verdict(on: head, beside: record) {
        case .takeBack(let failure): takeBack(because: failure, at: moment)
        case .refuse(let failure): leaveExchange() + lost(failure, at: moment)
        case nil: nil
        }
    }

    /// Ends an exchange whose file is not that of the current version. Later events of the exchange do not count.
    private mutating func leaveExchange() -> [TransferAction] {
        if step != nil { step = .measuring }
        return stop()
    }
}

extension ExchangeOutcome {
    /// The headers of a body that was written, or is in memory.
    var headOfBody: ResponseHead? {
        switch disposition {
        case .written, .held: head
        case .none, .overlapDiffers, .partsDiffer, .refused: nil
        }
    }
}

extension TransferFailure {
    static let wrongPieces = TransferFailure(
        .digestMismatch, "The pieces of the new version of the file do not match their digests.")
}
