/// The state machine of one transfer: a value that receives events and returns actions.
///
/// The machine never waits, reads a clock, or draws a random number. `docs/internals/state-machine.md` has the diagram; keep both in step.
package struct TransferMachine: Equatable, Sendable {
    package internal(set) var record: TransferRecord
    package internal(set) var step: TransferStep?

    package init(_ record: TransferRecord) {
        self.record = record
    }

    /// Handles an event. Every event passes through this function.
    package mutating func handle(_ event: TransferEvent, at moment: Moment) -> Reaction {
        switch event {
        case .command(let verb): obey(verb, at: moment)
        case .withheld(let reason, let until): Reaction(withhold(reason, until: until, at: moment))
        case .adjusted(let adjustment): adjust(adjustment, at: moment)
        case .turnGranted, .due, .networkReturned, .clockChanged, .allowed: Reaction(release(event, at: moment))
        case .clockMoved(let step): Reaction(MovedDates(step: step, now: moment.now).apply(to: &record))
        case .storeReturned(let span): Reaction(MovedDates(step: span, now: moment.now).extendLimits(of: &record))
        case .deadlinePassed, .starved: Reaction(giveUp(event, at: moment))
        case .credentialsMissing: Reaction(missCredentials(at: moment))
        case .credentialsUnavailable(let failure): Reaction(waitForCredentials(because: failure))
        case .credentialsGiven: Reaction(takeCredentials(at: moment))
        case .replaced(let replacement): replace(replacement, at: moment)
        case .urlGiven(let replacement): takeURL(replacement, at: moment)
        case .predecessorEnded(let failure): Reaction(follow(failure, at: moment))
        case .recovered: Reaction(recover(at: moment))
        case .survived(let exchange): Reaction(rejoin(exchange, at: moment))
        case .vanished: Reaction(vanish(at: moment))
        case .relocated: Reaction(relocate(at: moment))
        case .engine(let event): Reaction(process(event, at: moment))
        case .cleaned(let task, let isDone): Reaction(cleaned(task, isDone: isDone, at: moment))
        case .leftoverFound(let task): Reaction(tidy(task))
        }
    }

    /// Handles events that end a wait.
    private mutating func release(_ event: TransferEvent, at moment: Moment) -> [TransferAction] {
        switch (record.state, event) {
        // Nothing is active and the record is complete: a crash here leaves the transfer waiting.
        case (.waiting(let waiting), .turnGranted):
            guard waiting.reason == .turn, step == nil else {
                preconditionFailure("turn granted to \(record.id), which waits for \(waiting.reason)")
            }
            return begin(at: moment)
        case (.waiting(let waiting), .due):
            // A late alarm: its wait has ended, and perhaps another one has started.
            guard let until = waiting.until, until <= moment.now else { return [] }
            if waiting.reason == .clock { renewDeadline(at: moment) }
            return waitForTurn(at: moment)
        case (.waiting(let waiting), .clockChanged):
            guard waiting.reason == .clock else { return [] }
            renewDeadline(at: moment)
            return waiting.isReleased(byClockAt: moment.now) ? waitForTurn(at: moment) : []
        case (.waiting(let waiting), .networkReturned):
            return waiting.reason == .network ? waitForTurn(at: moment) : []
        case (.waiting(let waiting), .allowed):
            return waiting.reason.isCondition || waiting.reason == .unlock ? waitForTurn(at: moment) : []
        case (.running, .turnGranted), (.awaitingResponse, .turnGranted), (.paused, .turnGranted),
            (.succeeded, .turnGranted), (.failed, .turnGranted), (.cancelled, .turnGranted):
            preconditionFailure("turn granted to \(record.id) in state \(record.state)")
        // The alarm or the network raced with a command or with the transfer's own progress.
        case (.running, _), (.awaitingResponse, _), (.paused, _), (.succeeded, _), (.failed, _), (.cancelled, _):
            return []
        case (.waiting, _):
            preconditionFailure("\(event) does not release a wait")
        }
    }

    /// Renews a deadline that passed without an alarm: it was computed from a wrong clock.
    private mutating func renewDeadline(at moment: Moment) {
        if record.facts.deadline > moment.now { return }
        record.facts.deadline = record.spec.options.deadline(from: moment.now)
    }

    private mutating func giveUp(_ event: TransferEvent, at moment: Moment) -> [TransferAction] {
        let limit = TransferFailure.limit(event, of: record)
        let failure = moment.stopLeavesDoubt ? .unseen(limit.message) : limit
        switch record.state {
        case .waiting, .running:
            return fail(failure, at: moment)
        case .awaitingResponse:
            return fail(isSafeToSendAgain ? failure : .outcomeUnknown, at: moment)
        case .paused:
            // A pause stops both progress timers, but not the resource timeout.
            return event == .deadlinePassed ? fail(failure, at: moment) : []
        case .succeeded, .failed, .cancelled:
            return []
        }
    }

    /// Recovers after the process that ran the transfer ended. The actions follow from the state that it left.
    private mutating func recover(at moment: Moment) -> [TransferAction] {
        switch record.state {
        case .running:
            record.facts.lastProgressAt = nil
            return begin(at: moment)
        case .awaitingResponse:
            record.facts.lastProgressAt = nil
            // The body may be complete on the server. Querying or repeating is allowed only if it is safe.
            if isSafeToSendAgain { return begin(at: moment) }
            return fail(.outcomeUnknown, at: moment)
        case .waiting, .paused:
            return []
        case .succeeded, .failed, .cancelled:
            return cleanupActions()
        }
    }
}

extension TransferRecord {
    /// The last reason to wait, as the rest of a sentence.
    fileprivate var lastCause: String {
        guard case .waiting(let waiting) = state, var cause = waiting.failure?.message else { return "" }
        while cause.utf8.last == UInt8(ascii: ".") { cause.removeLast() }
        return "; last failure: \(cause)"
    }
}

extension TransferFailure {
    /// Returns the failure for a time limit.
    fileprivate static func limit(_ event: TransferEvent, of record: TransferRecord) -> TransferFailure {
        switch event {
        case .deadlinePassed:
            TransferFailure(
                .resourceTimeExceeded,
                "The transfer exceeded its time limit (\(record.spec.options.timeoutIntervalForResource.seconds) s)\(record.lastCause). Retry it to allow the same time again."
            )
        case .starved:
            TransferFailure(
                .noProgress,
                "No data was transferred for \(record.spec.options.progressTimeout?.seconds ?? 0) s. Retry when the server responds again."
            )
        case .command, .turnGranted, .due, .networkReturned, .clockChanged, .clockMoved, .storeReturned, .recovered,
            .survived,
            .vanished, .relocated, .engine, .cleaned, .leftoverFound, .withheld, .allowed, .adjusted,
            .credentialsMissing, .credentialsUnavailable,
            .credentialsGiven, .replaced, .urlGiven, .predecessorEnded:
            preconditionFailure("\(event) is not a limit of time")
        }
    }

    static let outcomeUnknown = outcomeUnknown(because: "no response arrived")

    /// Returns the failure, which names the time limit that ended the exchange, if one did.
    static func outcomeUnknown(after outcome: ExchangeOutcome) -> TransferFailure {
        guard case .broke(let failure) = outcome.ending, failure.code == .timedOut else { return .outcomeUnknown }
        var cause = failure.summary
        while cause.utf8.last == UInt8(ascii: ".") { cause.removeLast() }
        return outcomeUnknown(because: cause)
    }

    private static func outcomeUnknown(because cause: String) -> TransferFailure {
        TransferFailure(
            .outcomeUnknown,
            "The request was sent completely but \(cause). Sending it again could perform it twice. "
                + "Check on the server whether it arrived; a retry sends it again.")
    }
}
