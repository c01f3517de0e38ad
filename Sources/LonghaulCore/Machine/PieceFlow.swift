/// Downloads whose pieces have digests: only wrong pieces are downloaded again, and an existing file is repaired.
extension TransferMachine {
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
            return report.isSourceWhole ? keepExisting(at: moment) : beginDownload()
        case .oldFile:
            let isWhole = record.takeOldFile(report, bootID: moment.bootID)
            return isWhole ? succeed(at: moment) : continueInParts(report.good, length: .max)
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

/// The reason for a check of pieces.
package enum PieceCheckReason: Equatable, Sendable {
    /// A file with the requested name exists, and may be the requested file.
    case existing
    /// A file with the requested name existed before the download.
    case oldFile
    /// The download is complete, and no digest of the whole file is known.
    case placing
    /// The whole file has a wrong digest.
    case wrongDigest

    /// Whether the check is about downloaded bytes, rather than an existing file.
    package var isAboutDownload: Bool { self == .placing || self == .wrongDigest }
}

extension TransferRecord {
    /// How often wrong pieces are requested again, for each source.
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

    /// The digests that the whole file must have: the user's and the server's.
    var wholeDigests: [Digest] {
        guard let download = spec.download else { return [] }
        return (download.expectedDigest.map { [$0] } ?? []) + facts.download.offeredDigests
    }

    func isWhole(_ report: PieceReport) -> Bool {
        pieceCheck(.wrongDigest).map { report.good.front >= $0.total } ?? false
    }

    /// Counts good pieces of the existing file as downloaded. Returns whether the whole file is good.
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

    /// Requests the wrong pieces again, from another source if there is one. Returns a failure if the attempts are exhausted.
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
    /// Resets the counters for a retry by the user.
    mutating func forgiveMismatches() {
        digestMismatches = 0
        repairs = 0
        mirrors?.forgive()
    }
}
