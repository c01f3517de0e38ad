/// Downloads: measure the partial file, request the rest, verify it, and move it into place.
extension TransferMachine {
    var download: DownloadSpec {
        guard let download = record.spec.download else { preconditionFailure("not a download") }
        return download
    }

    package var partialPath: String { record.facts.download.files.path(of: record.id, in: download.directory) }

    mutating func beginDownload() -> [TransferAction] {
        record.openMirrors()
        // Before the drive is mounted, no file can be found, and no file may be created.
        if download.mountPoint == nil, let actions = check(.existing) ?? check(.oldFile) { return actions }
        guard download.needsMeasurement(record.facts) else { return fetch(from: nil) }
        step = .measuring
        return [.start(.files(download.measurement(of: record)))]
    }

    mutating func processDownload(
        _ current: TransferStep, _ event: EngineEvent, at moment: Moment
    ) -> [TransferAction] {
        switch (current, event) {
        case (.measuring, .partialMeasured(let result)): return measured(result, at: moment)
        case (.downloading(let resume), .receiving(let head)): return receiving(head, resume, at: moment)
        case (.downloading, .head(let head)): return leaveStrayPlace(at: moment) ?? begunAgain(head, at: moment)
        case (.measuring, .checkpoint(let length)), (.downloading, .checkpoint(let length)):
            record.facts.download.syncedLength = length
            record.recordNewProgress(length, at: moment)
            return []
        case (.downloading, .parts(let map)): return openParts(map, at: moment)
        case (.downloading, .places(let news)):
            return record.facts.download.add(news, of: record) ? lost(.plainMirror, at: moment) : []
        case (.checking(let reason), .piecesChecked(let result)): return checked(result, reason, at: moment)
        case (.downloading(let resume), .exchangeEnded(let outcome)): return fetched(outcome, resume, at: moment)
        case (.placing, .placed(let result)): return placed(result, at: moment)
        default: return unexpected(event, at: moment)
        }
    }

    /// Leaves the existing file, which is the requested one, and succeeds.
    mutating func keepExisting(at moment: Moment) -> [TransferAction] {
        if let path = download.namedPath { record.facts.keepFile(path) }
        return succeed(at: moment)
    }

    private mutating func measured(
        _ result: Result<Int64?, TransferFailure>, at moment: Moment
    ) -> [TransferAction] {
        switch result {
        case .failure(let failure): return interrupted(failure, at: moment)
        case .success(let length):
            record.facts.download.files.formerDirectories = []
            if record.facts.download.files.kept == nil { record.facts.download.files.mayHaveOther = false }
            if let actions = check(.existing) ?? check(.oldFile) { return actions }
            if record.facts.awaitsProof(download) {
                return record.facts.takeCopy(of: length, download).map { follow($0) } ?? beginDownload()
            }
            guard record.facts.download.validators != nil else { return fetch(from: nil) }
            if let map = record.facts.download.segments { return continueInParts(map, length: length ?? 0) }
            let (decision, obstacle) = ResumeLadder.plan(record, length: length ?? 0, bootID: moment.bootID)
            return follow(decision, obstacle)
        }
    }

    mutating func follow(
        _ decision: ResumeDecision, _ obstacle: RestartReason = .wrongAnswer
    ) -> [TransferAction] {
        switch decision {
        case .fromStart:
            if record.facts.bytesDone > 0 { record.facts.beginAnew(because: obstacle) }
            record.facts.forgetVersion()
            return fetch(from: nil)
        case .alreadyComplete: return place()
        case .resume(let point):
            record.facts.bytesDone = point.held
            return fetch(from: record.adapted(point))
        }
    }

    mutating func fetch(from resume: ResumePoint?) -> [TransferAction] {
        step = .downloading(resume)
        if resume == nil { record.facts.download.syncedLength = 0 }
        let url = (resume == nil ? nil : record.servingURL) ?? record.placeURL
        let credential = record.spec.staysAtHome(url) ? credentialScope(for: url) : nil
        return [.start(.exchange(record.fetchingPlan(url, from: resume, to: partialPath, credential)))]
    }

    private mutating func receiving(
        _ head: ResponseHead, _ resume: ResumePoint?, at moment: Moment
    ) -> [TransferAction] {
        record.state = .running(.receiving)
        let offered = DigestFields.offered(in: head.headers, isWhole: head.status == 200)
        if resume == nil {
            if let actions = rejectedInsteadOfWhole(head, at: moment) { return actions }
            if download.isOfWrongLength(head) { return lost(.wrongLength, at: moment) }
            record.facts.accept(head, offered: offered)
            record.learnMirrors(from: head)
            record.facts.download.bootID = moment.bootID
            return []
        }
        record.facts.download.bootID = moment.bootID
        record.facts.prove(by: head, bootID: moment.bootID)
        record.facts.learnTotal(from: head)
        // A different digest of the whole file means another version, whatever the validators are (RFC 9530, section 3).
        if record.facts.download.contradicts(offered) {
            if let actions = leaveStrayPlace(at: moment) { return actions }
            let failure =
                record.facts.download.isFromOtherSource(head) ? TransferFailure.otherSource : .versionChanged(.digest)
            guard record.giveUpVersion(because: failure, .digest) else { return fail(failure, at: moment) }
            // After this exchange ends, the transfer waits for its turn and requests the whole file.
            return stop() + waitForTurn(at: moment)
        }
        record.facts.download.recordServing(head)
        return []
    }

    /// Handles a complete new body in response to a range request. If the body is plausible, it is written, and the previous version is
    /// kept until it is complete. Until `receiving` records the new version, no version is recorded for the bytes of its file: a crash in
    /// between restarts from byte 0.
    private mutating func begunAgain(_ head: ResponseHead, at moment: Moment) -> [TransferAction] {
        if let actions = endProbe(at: moment) { return actions }
        if record.facts.download.files.isOfKept(head) { return takeBack(because: .versionChanged(nil), at: moment) }
        if let failure = WholeBodyRule.implausibility(of: head, instead: step?.resume, beside: record) {
            return stop() + lost(failure, at: moment)
        }
        step = .downloading(nil)
        record.facts.beginAnew(because: WholeBodyRule.reason(for: head, beside: record))
        record.facts.restarts += 1
        let isBeside =
            record.facts.download.isOfAnother(head) && record.facts.keepVersion(from: record.placeURL, download)
        record.facts.forgetVersion()
        return [.release(isBeside ? .writeBeside(partialPath) : .writeFromStart)]
    }

    private mutating func fetched(
        _ outcome: ExchangeOutcome, _ resume: ResumePoint?, at moment: Moment
    ) -> [TransferAction] {
        // A small body arrives together with its headers.
        if resume == nil, record.state == .running(.preparing),
            let actions = outcome.headOfBody.flatMap({ rejectedInsteadOfWhole($0, at: moment) })
        {
            return actions
        }
        if let failure = record.facts.disprove(by: outcome.disposition, download) { return fail(failure, at: moment) }
        // A refusal that does not say whether there are more bytes leaves the end unverified.
        if let resume, record.facts.download.isProbe(resume), outcome.disposition.leavesEndOpen {
            return placeWhole(resume.length)
        }
        switch outcome.disposition {
        case .written(let length, let isComplete):
            let isWhole = record.facts.recordWritten(
                outcome, isComplete, resume, isUnannounced: record.state == .running(.preparing), bootID: moment.bootID)
            record.recordNewProgress(record.facts.download.segments?.count ?? length, at: moment)
            if isWhole {
                let isEnd = resume == nil && !record.facts.wantsMore(length, outcome, hasDigest: record.hasDigest)
                return isEnd ? placeWhole(length) : fetchRest(from: length)
            }
        case .held(let length):
            guard let head = outcome.head else { break }
            if download.isOfWrongLength(head) { return lost(.wrongLength, at: moment) }
            record.facts.accept(head, offered: DigestFields.offered(in: head.headers, isWhole: true))
            // The partial file, perhaps of an older version, is worthless until this body has been written.
            record.facts.download.bootID = nil
            record.recordNewProgress(length, at: moment)
            record.facts.download.served.endsUnverified = outcome.endsUnverified && !record.hasDigest
            return placeWhole(length)
        case .overlapDiffers, .refused(.changed), .refused(.lengthUnknown), .refused(.unproved):
            return leaveStrayPlace(at: moment) ?? startOver(outcome, at: moment)
        case .partsDiffer(0): return startOver(.partsDiffer, at: moment)
        case .partsDiffer(let length):
            return record.facts.continueAlone(from: length) ? waitForTurn(at: moment) : fail(.partsDiffer, at: moment)
        case .refused(.alreadyComplete):
            record.facts.download.served.endsUnverified = false
            return placeWhole(resume?.length ?? record.facts.bytesDone)
        case .refused(.rangeUnusable(let why)):
            return leaveStrayPlace(at: moment)
                ?? startOver(
                    TransferFailure(.protocolViolation, "The response to the range request is invalid: \(why)"),
                    at: moment)
        case .refused(.status):
            if let path = download.path(leftBy: outcome.head) {
                record.facts.keepFile(path)
                return succeed(at: moment)
            }
            guard let head = outcome.head else { break }
            if let actions = leaveServingURL(after: head, resume, at: moment) { return actions }
            let failure = RetryPolicy.failure(of: record.spec, head, outcome, at: record.placeURL)
            return lost(failure, head: head, at: moment)
        case .none: break
        }
        if outcome.refusesParts { record.facts.restarts = max(record.facts.restarts, 1) }
        guard case .broke(let failure) = outcome.ending else { return lost(.incomplete, at: moment) }
        return lost(failure, head: outcome.head, at: moment)
    }

    /// Moves the complete file into place. The length is now known, so nothing is requested again after a crash.
    private mutating func placeWhole(_ length: Int64) -> [TransferAction] {
        record.facts.download.validators?.total = length
        return place()
    }

    /// Requests the rest after a complete part. A part may be shorter than the request (RFC 9110, section 15.3.7), so only the total
    /// shows whether it was the last one. If no total is known, the next byte is requested, and a 416 reveals the total.
    private mutating func fetchRest(from length: Int64) -> [TransferAction] {
        record.state = .running(.preparing)
        let validators = record.facts.download.validators
        return follow(
            ResumeLadder.plan(
                partialLength: length, validators: record.validatorsAtPlace, hasTrustedDigest: record.hasDigest,
                requestOverlap: validators?.total == nil ? 0 : ResumeLadder.usualOverlap))
    }

    /// Discards the current version and requests the whole file, because two versions are never joined.
    private mutating func startOver(_ outcome: ExchangeOutcome, at moment: Moment) -> [TransferAction] {
        if record.hasDigest, record.facts.continuesAlone(after: outcome) { return waitForTurn(at: moment) }
        let failed = VersionGuard.failing(in: outcome, known: record.facts.download.validators)
        let isElsewhere = record.facts.download.isFromOtherSource(outcome.head)
        let failure = isElsewhere ? TransferFailure.otherSource : .versionChanged(failed)
        if record.facts.download.files.mayBeServed(after: outcome) { return takeBack(because: failure, at: moment) }
        return startOver(failure, failed, isKept: outcome.disposition == .refused(.changed), at: moment)
    }

    private mutating func startOver(
        _ failure: TransferFailure, _ failed: VersionGuard? = nil, isKept: Bool = false, at moment: Moment
    ) -> [TransferAction] {
        guard record.giveUpVersion(because: failure, failed, isKept: isKept) else {
            return fail(record.facts.explainedRestarts(failure), at: moment)
        }
        record.state = .running(.preparing)
        return fetch(from: nil)
    }

    mutating func place(isChecked: Bool = false) -> [TransferAction] {
        if !isChecked, let actions = check(.placing) { return actions }
        record.state = .running(.verifying)
        step = .placing
        let plan = PlacePlan(record, download, partialPath: partialPath, digests: record.wholeDigests)
        return [.start(.files(.place(plan)))]
    }

    private mutating func placed(
        _ result: Result<PlacedFile, TransferFailure>, at moment: Moment
    ) -> [TransferAction] {
        switch result {
        case .success(let file):
            record.facts.download.finished = FinishedFile(path: file.path, refusals: file.refusals)
            record.facts.recordWhole(download)
            if file.leavesPartialFile { record.facts.cleanup.insert(.partialFile) }
            return succeed(at: moment)
        case .failure(let failure)
        where record.facts.download.files.kept != nil && [.digestMismatch, .lengthMismatch].contains(failure.code):
            return takeBack(because: record.facts.namingGiver(failure), at: moment)
        case .failure(let failure) where failure.code == .digestMismatch:
            if let actions = check(.wrongDigest) { return actions }
            let failure = record.facts.namingGiver(failure)
            record.facts.lastFailure = failure
            if record.facts.mayFetchAgain() { return startOverInTurn(failure, at: moment) }
            record.facts.cleanup.insert(.partialFile)
            record.facts.download.validators = nil
            return fail(failure, at: moment)
        case .failure(let failure) where failure.code == .lengthMismatch:
            return startOverInTurn(failure, at: moment)
        case .failure(let failure):
            if record.facts.download.bootID == nil {
                // The body was in memory, and is lost.
                record.facts.forgetVersion()
            }
            return interrupted(failure, at: moment)
        }
    }

    /// Starts over in turn after a failed final rename, because another transfer received the slot when the exchange ended.
    private mutating func startOverInTurn(_ failure: TransferFailure, at moment: Moment) -> [TransferAction] {
        record.giveUpVersion(because: failure) ? waitForTurn(at: moment) : fail(failure, at: moment)
    }
}

extension DownloadSpec {
    /// Whether the partial file or its drive is inspected before the first request. Without an accepted response, nothing in the partial
    /// file can be trusted, so its length does not matter.
    fileprivate func needsMeasurement(_ facts: TransferFacts) -> Bool {
        facts.mayHaveFile(self) || mountPoint != nil
    }

    fileprivate func measurement(of record: TransferRecord) -> FileWork {
        let files = record.facts.download.files
        return .measurePartial(
            path: files.path(of: record.id, in: directory), directory: directory,
            copying: record.facts.fileToCopy(self), discarding: files.unneededPath(of: record.id, in: directory),
            moving: record.facts.download.move(of: record.id), mountPoint: mountPoint)
    }
}

extension TransferFailure {
    static let partsDiffer = TransferFailure(
        .contentChanged,
        "Parts of the file from different connections differ where they meet. Use one connection (--split 1), or add a checksum of the file (--checksum)."
    )

    fileprivate static let incomplete = TransferFailure(
        .connectionLost, "The connection ended before the file was complete.")

    static let wrongLength = TransferFailure(
        .digestMismatch, "The length of the file on the server differs from the expected one.")
}

extension TransferRecord {
    /// The number of restarts from byte 0 because of different versions, after which a download fails.
    static let restartLimit = 5

    /// Discards the current version. Returns whether the download may restart from byte 0, which is ruled out if an app has read earlier
    /// bytes.
    fileprivate mutating func giveUpVersion(
        because failure: TransferFailure, _ failed: VersionGuard? = nil, isKept: Bool = false
    ) -> Bool {
        facts.restarts += 1
        if isKept { _ = facts.keepVersion(from: placeURL, spec.download) }
        facts.forgetVersion()
        facts.lastFailure = failure
        facts.beginAnew(because: RestartReason(failure, failed))
        return spec.download?.isFollowed != true && facts.restarts <= Self.restartLimit
    }
}

extension DownloadFacts {
    /// Returns whether a server's digest of the whole file differs from its earlier one.
    func contradicts(_ offered: [Digest]) -> Bool {
        !offered.isEmpty && !offeredDigests.isEmpty && offered != offeredDigests
    }

    /// Returns whether the response has another version. A system that repeats requests automatically may end with another version than
    /// it started with; the file contains the last one.
    func isOfAnother(_ head: ResponseHead) -> Bool {
        validators?.isOfSameVersion(as: ValidatorReading.validators(from: head)) == false
    }
}
