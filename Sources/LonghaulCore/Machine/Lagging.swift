/// Changes that may reach the disk later than they take effect.
extension TransferRecord {
    /// Returns whether a crash that leaves `stored` on disk instead of this record loses only counters. Only such a change may take effect
    /// before it is stored. Recovery takes the same steps, or repeats something harmless.
    ///
    /// - An attempt may start. A queued transfer and one that is preparing or sending both restart.
    /// - A body may have been sent. Recovery sends it again, so the request must be safe to repeat.
    /// - A small body may be complete in memory, and perhaps in place. Recovery requests it again, and finds the file.
    /// - A cleanup may end. Recovery repeats it.
    ///
    /// A request that must not be repeated never lags if its last bytes cannot be held back: once the request is handed over, those bytes
    /// may have been sent.
    package func mayLag(behind stored: TransferRecord, traits: EngineTraits = .ofProcess) -> Bool {
        guard isSameQuery(as: stored) else { return false }
        if !traits.holdsLastBytes, !state.isEnded, !TransferMachine(self).isSafeToSendAgain { return false }
        switch (stored.state, state) {
        case (.waiting(let waiting), .running(let phase)):
            guard waiting.reason == .turn else { return false }
            return phase.isOutset && hasOnlyBegun(since: stored) || holdsBody(since: stored)
        case (.running(let before), .running(let phase)):
            guard before.isOutset else { return false }
            return phase.isOutset && hasOnlyBegun(since: stored) || holdsBody(since: stored)
        case (.waiting(let waiting), .awaitingResponse):
            return waiting.reason == .turn && TransferMachine(self).isSafeToSendAgain && hasOnlyBegun(since: stored)
        case (.running(let before), .awaitingResponse):
            return before.isOutset && TransferMachine(self).isSafeToSendAgain && hasOnlyBegun(since: stored)
        case (.succeeded, .succeeded), (.failed, .failed), (.cancelled, .cancelled):
            return hasOnlyTidied(since: stored)
        case (.waiting, _), (.running, _), (.awaitingResponse, _), (.paused, _), (.succeeded, _), (.failed, _),
            (.cancelled, _):
            return false
        }
    }

    /// Whether only the counters of an attempt differ. Facts about a server or a file do not lag.
    private func hasOnlyBegun(since stored: TransferRecord) -> Bool {
        learnt.hasLearntOfBodyAlone(since: stored.learnt) && facts.progressMark == stored.facts.progressMark
            && facts.failuresInARow == stored.facts.failuresInARow && facts.download == stored.facts.download
    }

    /// Whether the only progress is a complete body in memory, from a state without any.
    private func holdsBody(since stored: TransferRecord) -> Bool {
        guard case .download = spec.work, state == .running(.verifying), facts.download.bootID == nil,
            stored.facts.download.validators == nil
        else { return false }
        return learnt.hasLearntOfBodyAlone(since: stored.learnt)
    }

    private func hasOnlyTidied(since stored: TransferRecord) -> Bool {
        guard state == stored.state, facts.cleanup.isSubset(of: stored.facts.cleanup) else { return false }
        var tidied = stored.facts
        tidied.cleanup = facts.cleanup
        return tidied == facts
    }
}

extension TransferState.Phase {
    /// Whether the attempt has no progress to resume from yet.
    fileprivate var isOutset: Bool {
        switch self {
        case .preparing, .sending: true
        case .receiving, .verifying: false
        }
    }
}

extension CopyOnWrite<TransferFacts> {
    /// Whether the only differences are the counters of an attempt (`attempts`, `startedAt`, `lastProgressAt`, `bytesDone`, `bytesTotal`)
    /// and the fields of a download's body (`download`, `progressMark`, `failuresInARow`). The comparison is by field: copying all fields
    /// would cost more than the rest of a step.
    fileprivate func hasLearntOfBodyAlone(since stored: CopyOnWrite) -> Bool {
        value.createdAt == stored.value.createdAt && value.deadline == stored.value.deadline
            && value.endedAt == stored.value.endedAt && value.restarts == stored.value.restarts
            && value.credentialRefusals == stored.value.credentialRefusals
            && value.failedLookups == stored.value.failedLookups
            && value.changes == stored.value.changes
            && value.ignoresConditions == stored.value.ignoresConditions
            && value.startsAtOnce == stored.value.startsAtOnce
            && value.restartCounts == stored.value.restartCounts
            && value.cleanup == stored.value.cleanup && value.lastFailure == stored.value.lastFailure
            && value.retryEnd == stored.value.retryEnd
            && value.upload == stored.value.upload && value.response == stored.value.response
    }
}
