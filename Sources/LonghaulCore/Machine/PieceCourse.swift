/// Downloads whose pieces have digests: what is wrong is fetched again alone, and a file that was there is mended.
extension TransferMachine {
    /// `nil` where there is nothing to be found out.
    mutating func check(_ reason: PieceCheckReason) -> [TransferAction]? {
        let found =
            reason == .existing
            ? download.existingCheck(record.facts.download, partial: partialPath) : record.pieceCheck(reason)
        guard let check = found else { return nil }
        step = .checking(reason)
        if reason.isAboutDownload { record.state = .running(.verifying) }
        return [.start(.files(.checkPieces(check)))]
    }

    mutating func checked(
        _ result: Result<PieceReport, TransferFailure>, _ reason: PieceCheckReason, at moment: Moment
    ) -> [TransferAction] {
        let report: PieceReport
        switch result {
        case .failure(let failure): return interrupted(failure, at: moment)
        case .success(let found): report = found
        }
        switch reason {
        case .existing:
            record.facts.download.hasLookedAtOldFile = true
            return report.isSourceWhole ? leaveExisting(at: moment) : beginDownload()
        case .oldFile:
            let isWhole = record.takeOldFile(report, bootID: moment.bootID)
            return isWhole ? succeed(at: moment) : goOnInParts(report.good, length: .max)
        case .placing where record.isWhole(report): return place(isChecked: true)
        case .wrongDigest where record.isWhole(report): return fail(.contradictoryDigests, at: moment)
        case .placing where record.facts.download.files.kept != nil:
            return takeBack(because: .wrongPieces, at: moment)
        case .placing, .wrongDigest:
            if let failure = record.giveUpPieces(besides: report.good) { return fail(failure, at: moment) }
            return waitForTurn(at: moment)
        }
    }
}

/// Why pieces are looked at.
package enum PieceCheckReason: Equatable, Sendable {
    /// A file of the wanted name is there, and may be the one that is wanted.
    case existing
    /// A file of the wanted name was there before the download.
    case oldFile
    /// All has come, and no digest of the whole is known.
    case placing
    /// The whole has not the digest that it must have.
    case wrongDigest

    /// Whether it is about what has come, and not about what was there.
    package var isAboutDownload: Bool { self == .placing || self == .wrongDigest }
}

extension TransferRecord {
    /// How often wrong pieces are fetched again from each place.
    private static let repairsOfPlace = 2

    func pieceCheck(_ reason: PieceCheckReason) -> PieceCheck? {
        guard let download = spec.download, let pieces = download.pieces,
            let total = download.expectedLength ?? facts.download.validators?.total, pieces.fit(total)
        else { return nil }
        let partial = facts.download.files.path(of: id, in: download.directory)
        switch reason {
        case .oldFile:
            guard download.repairs, !facts.download.hasLookedAtOldFile, facts.download.validators == nil,
                let source = download.namedPath
            else { return nil }
            return PieceCheck(pieces: pieces, total: total, path: partial, source: source)
        case .existing: return nil
        case .placing: return wholeDigests.isEmpty ? PieceCheck(pieces: pieces, total: total, path: partial) : nil
        case .wrongDigest: return PieceCheck(pieces: pieces, total: total, path: partial)
        }
    }

    /// What the whole must have: the digest that a person named, and those that the server told.
    var wholeDigests: [Digest] {
        guard let download = spec.download else { return [] }
        return (download.expectedDigest.map { [$0] } ?? []) + facts.download.offeredDigests
    }

    func isWhole(_ report: PieceReport) -> Bool {
        pieceCheck(.wrongDigest).map { report.good.front >= $0.total } ?? false
    }

    /// What of the file that was there is good counts as if it had been fetched. Returns whether it is just what is wanted.
    mutating func takeOldFile(_ report: PieceReport, bootID: String) -> Bool {
        guard let check = pieceCheck(.oldFile) else { return false }
        facts.download.hasLookedAtOldFile = true
        facts.bytesTotal = check.total
        facts.bytesDone = report.isSourceWhole ? check.total : report.good.count
        facts.progressMark = facts.bytesDone
        if report.isSourceWhole {
            facts.download.finalPath = check.source
            return true
        }
        facts.download.bootID = bootID
        facts.download.validators = Validators(entityTag: nil, lastModified: nil, isSoft: true, total: check.total)
        facts.download.segments = report.good
        return false
    }

    /// The other pieces are fetched again, from another place if there is one. Returns why not.
    mutating func giveUpPieces(besides good: SegmentMap) -> TransferFailure? {
        guard let check = pieceCheck(.wrongDigest), let wrong = good.gaps(in: check.total).first else {
            return .contradictoryDigests
        }
        facts.download.repairs += 1
        let places = facts.download.mirrors?.places.count ?? 1
        let (piece, _) = wrong.lowerBound.quotientAndRemainder(dividingBy: check.pieces.length)
        let failure = TransferFailure(
            .digestMismatch,
            "Piece \(piece + 1) of \(check.pieces.count) (bytes \(wrong.lowerBound) to \(min(wrong.lowerBound + check.pieces.length, check.total) - 1)) had a wrong digest in each attempt. The correct pieces are kept; a retry requests the others again."
        )
        guard facts.download.repairs <= Self.repairsOfPlace * places else { return failure }
        facts.lastFailure = failure
        facts.download.segments = good
        facts.bytesDone = good.count
        facts.download.mirrors?.turnToNext()
        return nil
    }
}

extension TransferFailure {
    fileprivate static let contradictoryDigests = TransferFailure(
        .digestMismatch,
        "The digests contradict each other: all pieces match theirs, and the whole file does not."
    )
}

extension DownloadFacts {
    /// A person asks to try again.
    mutating func forgiveMismatches() {
        digestMismatches = 0
        repairs = 0
        mirrors?.forgive()
    }
}
