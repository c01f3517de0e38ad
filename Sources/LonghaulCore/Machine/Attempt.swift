/// The start, interruption, and end of an attempt, for transfers of every kind.
extension TransferMachine {
    /// Starts the first step of an attempt. The step is the same after a wait, a pause, and a crash.
    mutating func begin(at moment: Moment) -> [TransferAction] {
        record.facts.attempts += 1
        if record.facts.startedAt == nil { record.facts.startedAt = moment.now }
        record.forgiveWait(at: moment)
        if record.facts.lastProgressAt == nil { record.facts.lastProgressAt = moment.now }
        record.state = .running(.preparing)
        switch record.spec.work {
        case .download(let download): return download.isLeftByName ? keepExisting(at: moment) : beginDownload()
        // The engine inspects the single file of a raw upload when it opens it, before it requests a connection.
        case .upload(.raw(let source)) where source.mountPoint == nil: return sendPlain()
        case .upload:
            step = .inspecting
            return [.start(.files(record.spec.inspection))]
        case .request: return sendPlain()
        }
    }

    mutating func process(_ event: EngineEvent, at moment: Moment) -> [TransferAction] {
        guard let current = step else {
            preconditionFailure("\(record.id) has no step, yet its engine says \(event.name)")
        }
        if case .stopping(let stopped) = current { return processWhileStopping(event, stopped, at: moment) }
        if event.isEnding { step = nil }
        record.facts.recordAcceptance(event)
        switch current {
        case .inspecting: return inspected(event, at: moment)
        case .measuring, .downloading, .placing, .checking: return processDownload(current, event, at: moment)
        case .sending: return processPlain(event, at: moment)
        case .discovering, .creating, .asking, .patching: return processTus(current, event, at: moment)
        case .stopping: return []
        }
    }

    /// Processes an event after a pause, a cancellation, or a time limit. The result is kept if it is useful.
    private mutating func processWhileStopping(
        _ event: EngineEvent, _ stopped: TransferStep, at moment: Moment
    ) -> [TransferAction] {
        if event.isEnding { step = nil }
        // Later events are not about the file that is measured next.
        if stopped == .measuring { return event.isEnding ? cleanupActions() : [] }
        if stopped == .sending, !record.state.isEnded || record.wasGivenUp, case .exchangeEnded(let outcome) = event,
            let doubt = SurvivorRule.doubt(about: outcome, beside: record)
        {
            return fail(doubt, at: moment)
        }
        switch event {
        case .placed(.success):
            // The file was renamed before the engine received the stop: the transfer succeeded.
            return processDownload(.placing, event, at: moment)
        case .exchangeEnded(let outcome):
            if stopped == .downloading(nil), record.state != .cancelled {
                record.facts.keepWhole(outcome, of: download, bootID: moment.bootID)
            }
            if case .downloading(let resume) = stopped,
                let count = record.facts.download.recordStopped(outcome, resume, bootID: moment.bootID)
            {
                record.recordNewProgress(count, at: moment)
            }
            if case .patching(let offset, let sentBefore) = stopped {
                record.facts.upload.recordSent(outcome, from: offset, sentBefore: sentBefore, of: tusSource.pin.size)
            }
            if stopped == .creating, let head = outcome.head, head.isSuccess,
                record.facts.upload.recordCreated(head) == nil
            {
                // Without a cleanup task, the upload would remain orphaned on the server.
                if record.state == .cancelled { record.facts.cleanup.formUnion(leftovers) }
            }
            // The response arrived after a pause or a time limit, or even a resume, and it counts.
            if record.state != .cancelled, outcome.ending == .responded, outcome.head?.isSuccess == true {
                switch stopped {
                case .sending: return processPlain(event, at: moment)
                case .patching: return patchedWhileStopping(outcome, at: moment)
                case .inspecting, .measuring, .downloading, .placing, .checking, .discovering, .creating, .asking,
                    .stopping:
                    break
                }
            }
        case .checkpoint(let length):
            record.facts.download.syncedLength = length
        case .parts(let map):
            if record.facts.download.segments != nil { recordParts(map, at: moment) }
        case .places(let news):
            record.facts.download.add(news, of: record)
        case .connectionsWanted, .heads, .receiving, .head, .lastBytesHeld, .bodySent, .allowanceUsed,
            .sharesConnections,
            .sourcesInspected, .partialMeasured, .piecesChecked, .placed, .discarded:
            break
        }
        return event.isEnding ? cleanupActions() : []
    }

    private mutating func inspected(_ event: EngineEvent, at moment: Moment) -> [TransferAction] {
        guard case .sourcesInspected(let results) = event else { return unexpected(event, at: moment) }
        for (source, result) in zip(record.spec.sources, results) {
            switch result {
            case .failure(let failure) where failure.code == .notMounted: return interrupted(failure, at: moment)
            case .failure(let failure): return fail(failure, at: moment)
            case .success(let pin) where !source.isPinned(as: pin):
                return fail(.sourceChanged(source), at: moment)
            case .success: break
            }
        }
        if case .upload(.tus) = record.spec.work { return continueTus(at: moment) }
        return sendPlain()
    }

    /// Ends an interrupted attempt: waits for a retry, or fails.
    mutating func interrupted(
        _ failure: TransferFailure, head: ResponseHead? = nil, at moment: Moment
    ) -> [TransferAction] {
        record.facts.recordFailure(failure)
        if let head, wantsCredentials(after: head) { return credentialsRefused(at: moment) }
        let (headers, options) = (head?.headers ?? [], record.spec.options)
        let advice = RetryPolicy.decide(failure, headers: headers, for: record)
        switch advice {
        case .never, .needsCredentials:
            return fail(failure, advice, at: moment)
        case .later(let countsAttempt):
            if countsAttempt { record.facts.failuresInARow += 1 }
            if record.facts.failuresInARow > record.facts.retryLimit(after: failure, options) {
                return fail(record.facts.explained(failure), advice, at: moment)
            }
            let asked = RetryAfter.delay(in: headers, now: moment.now)
            let delay = Backoff.delay(
                failuresInARow: max(1, record.facts.failuresInARow), retryAfter: asked, random: moment.random)
            let retryAfter = asked.map { moment.now + Backoff.stated($0) }
            return wait(asked == nil ? .retry : .serverBusy, for: delay, failure, retryAfter: retryAfter, at: moment)
        case .whenNetworkReturns:
            // A returning network ends the wait. The date is for machines that cannot detect a network.
            if options.retryLimit == 0 { return fail(failure, advice, at: moment) }
            let delay =
                failure.code == .nameLookupFailed
                ? Backoff.lookupDelay(failedLookups: record.facts.failedLookups, moment.random)
                : Backoff.pollingDelay(moment.random)
            return wait(.network, for: delay, failure, at: moment)
        case .whenSpaceIsFree, .whenMounted, .whenUnlocked:
            if advice == .whenSpaceIsFree, record.facts.giveUpKept() { return waitForTurn(at: moment) }
            if options.retryLimit == 0 { return fail(failure, advice, at: moment) }
            let delay = Backoff.pollingDelay(moment.random)
            let reason: Waiting.Reason =
                advice == .whenMounted ? .mount : advice == .whenUnlocked ? .unlock : .diskSpace
            return wait(reason, for: delay, failure, at: moment)
        case .whenClockChanges:
            if options.retryLimit == 0 { return fail(failure, advice, at: moment) }
            return wait(.clock, for: failure.waitForClock(at: moment.now), failure, at: moment)
        }
    }

    private mutating func wait(
        _ reason: Waiting.Reason, for delay: Duration, _ failure: TransferFailure, retryAfter: WallTime? = nil,
        at moment: Moment
    ) -> [TransferAction] {
        record.state = .waiting(
            Waiting(
                reason, since: moment.now, until: moment.now + delay, retryAfter: retryAfter, failure: failure))
        return []
    }

    /// Queues the transfer, or waits for its start time.
    mutating func waitForTurn(at moment: Moment) -> [TransferAction] {
        record.forgiveWait(at: moment)
        record.state = .waiting(record.waitBeforeTurn(at: moment.now))
        return []
    }

    /// - Parameter advice: The advice that ends the transfer; `nil` if the failure alone does.
    mutating func fail(
        _ failure: TransferFailure, _ advice: RetryAdvice? = nil, at moment: Moment
    ) -> [TransferAction] {
        record.facts.retryEnd = RetryEnd(failure, advice, record)
        record.facts.lastFailure = failure
        record.state = .failed(failure)
        record.facts.endedAt = moment.now
        return stop() + cleanupActions()
    }

    mutating func succeed(at moment: Moment) -> [TransferAction] {
        record.state = .succeeded
        record.facts.endedAt = moment.now
        record.facts.failuresInARow = 0
        if record.spec.sources.contains(where: \.isStaged) { record.facts.cleanup.insert(.stagedBodies) }
        record.facts.abandonFiles()
        return cleanupActions()
    }

    mutating func stop() -> [TransferAction] {
        guard let current = step else { return [] }
        if case .stopping = current { return [] }
        step = .stopping(current)
        return [.stop]
    }

    mutating func unexpected(_ event: EngineEvent, at moment: Moment) -> [TransferAction] {
        guard event.isEnding else { return [] }
        return fail(.unexpected(event), at: moment)
    }
}

extension TransferRecord {
    /// Records progress. It resets the counters of failed attempts if it is enough.
    mutating func recordNewProgress(_ bytes: Int64, isEnough: Bool = true, at moment: Moment) {
        let won = bytes - facts.bytesDone
        facts.download.mirrors?.won(won)
        facts.bytesDone = bytes
        guard bytes > facts.progressMark else { return }
        facts.progressMark = bytes
        if isEnough { (facts.failuresInARow, facts.lastProgressAt) = (0, moment.now) }
    }

    /// Excludes a wait without any possible progress from `progressTimeout`. A wait between two attempts counts.
    mutating func forgiveWait(at moment: Moment) {
        guard case .waiting(let waiting) = state, waiting.reason != .retry,
            let last = facts.lastProgressAt
        else { return }
        facts.lastProgressAt = min(last + (moment.now - waiting.since), moment.now)
    }
}

extension TransferFacts {
    /// Records the failure of an attempt.
    fileprivate mutating func recordFailure(_ failure: TransferFailure) {
        lastFailure = failure
        failedLookups = failure.code == .nameLookupFailed ? failedLookups + 1 : 0
        // After an I/O error (EIO is 5 on every Unix), the kernel may have dropped bytes that were written but not synced (fsync(2)).
        // They are downloaded again, as after a reboot.
        if failure.origin == .system(5), failure.code == .fileFailed, download.bootID != nil { download.bootID = "" }
    }

    /// Returns how many retries in a row a failure allows. Every report of a number of retries uses this function.
    ///
    /// A submission may allow fewer retries for an unknown host, because the user is waiting and has probably misspelled the name. A host
    /// that has answered this transfer does exist.
    func retryLimit(after failure: TransferFailure, _ options: TransferOptions) -> Int {
        let hasReachedHost = progressMark > 0 || download.validators != nil || upload.uploadURL != nil
        guard failure.code == .hostNotFound || failure.isOfUnknownProxy, !hasReachedHost,
            let limit = options.unknownHostRetryLimit
        else { return options.retryLimit }
        return min(limit, options.retryLimit)
    }
}

extension TransferFailure {
    /// Whether the name of the proxy is unknown: CURLE_COULDNT_RESOLVE_PROXY.
    fileprivate var isOfUnknownProxy: Bool { code == .proxyFailed && origin == .curl(5) }
}

extension TransferSpec {
    fileprivate var inspection: FileWork {
        let sources = sources
        let mounted = sources.compactMap { source in source.mountPoint.map { (source.path, $0) } }
        return .inspectSources(
            sources.map(\.path), mountPoints: Dictionary(mounted, uniquingKeysWith: { first, _ in first }))
    }

    /// The files that an upload reads, in the order of their inspection.
    package var sources: [SourceFile] {
        switch work {
        case .download, .request: return []
        case .upload(.raw(let source)): return [source]
        case .upload(.tus(let source, _)): return [source]
        case .upload(.form(_, let parts)):
            return parts.compactMap { part in
                switch part.content {
                case .text: nil
                case .file(let source, _, _): source
                }
            }
        }
    }
}

extension UploadSpec {
    /// Returns the upload of other files, in the order of `sources`.
    package func replacingSources(
        _ replace: (SourceFile) throws(TransferFailure) -> SourceFile
    ) throws(TransferFailure) -> UploadSpec {
        switch self {
        case .raw(let source): return .raw(try replace(source))
        case .tus(let source, let metadata): return .tus(try replace(source), metadata: metadata)
        case .form(let boundary, var parts):
            for index in parts.indices {
                guard case .file(let source, let fileName, let type) = parts[index].content else { continue }
                parts[index].content = .file(try replace(source), fileName: fileName, contentType: type)
            }
            return .form(boundary: boundary, parts: parts)
        }
    }
}

extension TransferFailure {
    /// The message contains only the event's name, because its values may be secret.
    fileprivate static func unexpected(_ event: EngineEvent) -> TransferFailure {
        TransferFailure(
            .internalFault, "Part of the transfer ended unexpectedly (\(event.name)). Retry the transfer.")
    }

    package static func sourceChanged(_ source: SourceFile) -> TransferFailure {
        TransferFailure(
            .sourceChanged,
            "The file \(source.path) changed after it was submitted. Submit it again to send the new version.")
    }

    /// Returns the time until a certificate becomes valid by the current clock. If the date is unknown, as for an issuer's certificate,
    /// the next attempt is an hour later.
    fileprivate func waitForClock(at now: WallTime) -> Duration {
        guard let validFrom = certificate?.validFrom, validFrom > now else { return .seconds(3_600) }
        return validFrom - now
    }
}

extension Waiting {
    /// Returns whether the certificate is valid by the new clock. If its date is unknown, another attempt finds out.
    func isReleased(byClockAt now: WallTime) -> Bool {
        reason == .clock && failure?.certificate.map { $0.validFrom <= now } ?? true
    }
}
