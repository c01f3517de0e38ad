extension TransferMachine {
    mutating func obey(_ verb: ControlVerb, at moment: Moment) -> Reaction {
        switch (record.state, verb) {
        case (.waiting, .pause):
            record.state = .paused
            return Reaction()
        case (.running, .pause):
            if moment.stopLeavesDoubt {
                return refuse(
                    "The transfer cannot be paused now: the system runs it and may already have sent all of it.")
            }
            record.state = .paused
            return Reaction(stop())
        case (.awaitingResponse, .pause):
            // Stopping would lose the response to a request that must not be repeated.
            guard isSafeToSendAgain else {
                return refuse("The transfer cannot be paused now: everything was sent, and the response is pending.")
            }
            record.state = .paused
            return Reaction(stop())
        case (.paused, .pause), (.waiting, .resume), (.running, .resume), (.awaitingResponse, .resume):
            return Reaction()

        case (.paused, .resume), (.paused, .retry):
            record.facts.lastProgressAt = nil
            record.facts.credentialRefusals = 0
            return Reaction(waitForTurn(at: moment))
        case (.waiting(let waiting), .retry):
            return startAtOnce(waiting.reason, at: moment)
        case (.running, .retry), (.awaitingResponse, .retry):
            return refuse("The transfer is already running.")
        case (.failed, .retry), (.cancelled, .retry):
            return retry(at: moment)
        case (.succeeded, .retry):
            return refuse("The transfer has succeeded. Submit it again to repeat it.")

        case (.waiting, .cancel), (.running, .cancel), (.awaitingResponse, .cancel), (.paused, .cancel):
            return Reaction(cancel(at: moment))
        case (.cancelled, .cancel):
            return Reaction()
        case (.succeeded, .cancel), (.failed, .cancel):
            return refuse("The transfer has already ended. Remove it to forget it.")

        case (.failed, .remove):
            // The progress that a retry would resume from is deleted too.
            record.facts.cleanup.formUnion(leftovers.union([.record]))
            return Reaction(cleanupActions())
        case (.succeeded, .remove), (.cancelled, .remove):
            // The other tasks were recorded when the transfer ended.
            record.facts.cleanup.insert(.record)
            return Reaction(cleanupActions())
        case (.waiting, .remove), (.running, .remove), (.awaitingResponse, .remove), (.paused, .remove):
            return refuse("The transfer has not ended. Cancel it first.")

        case (.succeeded, .pause), (.succeeded, .resume):
            return refuse("The transfer has succeeded.")
        case (.failed, .pause), (.cancelled, .pause), (.failed, .resume), (.cancelled, .resume):
            return refuse("The transfer has ended. Retry it to start it again.")
        }
    }

    /// Starts a transfer that waits for a time. Conditions still hold (see `TransferAdjustment.ignoresConditions`).
    private mutating func startAtOnce(_ reason: Waiting.Reason, at moment: Moment) -> Reaction {
        switch reason {
        case .notBefore, .hours: record.facts.startsAtOnce = true
        case .metered, .constrained, .roaming, .power, .battery, .budget, .link, .idle:
            return refuse(
                "The transfer waits for other conditions, which a retry does not change. "
                    + "Run it regardless of its conditions instead.")
        case .predecessor: return refuse("The transfer starts when its predecessor has ended.")
        case .sleep: return refuse("The machine is about to sleep. The transfer continues when the machine wakes.")
        case .turn, .retry, .network, .diskSpace, .credentials, .serverBusy, .clock, .mount, .unlock: break
        }
        record.facts.credentialRefusals = 0
        return Reaction(waitForTurn(at: moment))
    }

    private mutating func cancel(at moment: Moment) -> [TransferAction] {
        record.state = .cancelled
        record.facts.endedAt = moment.now
        record.facts.cleanup.formUnion(leftovers)
        return stop() + cleanupActions()
    }

    /// Resumes a failed transfer from its last synced offset. A cancelled transfer has no progress left.
    mutating func retry(at moment: Moment) -> Reaction {
        if record.facts.cleanup.contains(.record) {
            return refuse("The transfer is being removed.")
        }
        if step != nil || !record.facts.cleanup.isEmpty {
            return refuse("The transfer is still being cleaned up. Try again in a moment.")
        }
        if record.state == .cancelled {
            if record.spec.sources.contains(where: \.isStaged) {
                return refuse("The staged body was deleted when the transfer was cancelled. Submit the transfer again.")
            }
            record.facts.forgetProgress()
            record.facts.bytesTotal = record.spec.knownLength
        }
        record.facts.forgiveFailures(endedBy: record.state)
        record.facts.deadline = record.spec.options.deadline(from: moment.now)
        return Reaction(waitForTurn(at: moment))
    }

    func refuse(_ sentence: String) -> Reaction {
        Reaction(refusal: TransferFailure(.invalidState, sentence))
    }
}

extension TransferFacts {
    /// Resets the counters of failures, so that a retry has all its attempts.
    fileprivate mutating func forgiveFailures(endedBy state: TransferState) {
        if case .failed(let failure) = state, failure.code == .contentChanged {
            // The kept bytes did not lead to the file.
            _ = giveUpKept()
            forgetVersion()
        }
        endedAt = nil
        retryEnd = nil
        lastProgressAt = nil
        failuresInARow = 0
        failedLookups = 0
        credentialRefusals = 0
        restarts = 0
        download.forgiveMismatches()
        upload.stalls = 0
        upload.refusedAt = nil
    }

    /// Discards all progress, so that the next attempt starts over.
    mutating func forgetProgress() {
        bytesDone = 0
        progressMark = 0
        bytesTotal = nil
        download = DownloadFacts()
        upload = UploadFacts()
    }
}
