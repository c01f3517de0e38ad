/// Which changes may reach the disk later than they happen.
extension TransferRecord {
    /// Whether a crash that leaves `stored` on the disk in the place of this record costs nothing but figures: recovery
    /// then does what it would do with this one, or does something harmless once more. Only such a change may be acted
    /// upon before it is stored.
    ///
    /// - An attempt that has begun: what waits for its turn and what is preparing or sending both begin again.
    /// - A body that is out, where the request may be sent again: both are sent again.
    /// - A small body that is complete in memory, and perhaps placed already: it is asked for again, and found to be there.
    /// - Something that was tidied up: it is tidied up again.
    ///
    /// A request that must not be repeated never lags where its last bytes cannot be held back: once it is handed out, nobody can
    /// say that they have not left.
    package func mayLag(behind stored: TransferRecord, traits: EngineTraits = .ofProcess) -> Bool {
        guard asksTheSame(as: stored) else { return false }
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

    /// Whether nothing but the figures of an attempt differs. What was learnt from a server or about a file does not lag.
    private func hasOnlyBegun(since stored: TransferRecord) -> Bool {
        learnt.hasLearntOfBodyAlone(since: stored.learnt) && facts.progressMark == stored.facts.progressMark
            && facts.failuresInARow == stored.facts.failuresInARow && facts.download == stored.facts.download
    }

    /// Whether no more than a whole body in memory was won since nothing at all was known.
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
    /// Whether nothing of an attempt is worth going on from yet.
    fileprivate var isOutset: Bool {
        switch self {
        case .preparing, .sending: true
        case .receiving, .verifying: false
        }
    }
}

extension CopyOnWrite<TransferFacts> {
    /// Whether nothing differs but the figures of an attempt (`attempts`, `startedAt`, `lastProgressAt`, `bytesDone`, `bytesTotal`)
    /// and what comes with a download's body (`download`, `progressMark`, `failuresInARow`). One field after the other: to copy
    /// all of them would cost more than the rest of a step.
    fileprivate func hasLearntOfBodyAlone(since stored: CopyOnWrite) -> Bool {
        value.createdAt == stored.value.createdAt && value.deadline == stored.value.deadline
            && value.endedAt == stored.value.endedAt && value.restarts == stored.value.restarts
            && value.credentialRefusals == stored.value.credentialRefusals
            && value.failedLookups == stored.value.failedLookups
            && value.changes == stored.value.changes
            && value.ignoresConditions == stored.value.ignoresConditions
            && value.startsAtOnce == stored.value.startsAtOnce
            && value.beginningsAnew == stored.value.beginningsAnew
            && value.cleanup == stored.value.cleanup && value.lastFailure == stored.value.lastFailure
            && value.upload == stored.value.upload && value.response == stored.value.response
    }
}
