import LonghaulCore
import LonghaulStore

/// Handles a failed commit, and a store that is damaged or was deleted. In the latter case this loop stops, and another one continues
/// with a new store. To the transfers it is as if the process had died before the commit.
extension SessionLoop {
    /// Undoes a turn whose commit failed. Changes are refused, queries are answered, and events that happened are kept for later.
    func undo(_ inputs: [LoopInput], because failure: TransferFailure) {
        performEarly()
        state.undo(tryAgainAt: health.refuse(because: failure, at: state.now))
        state.show(health.waiting)
        for input in inputs { takeBack(input, because: failure) }
        state.runs.refuse(failure)
        let replies = state.batch.replies
        state.batch = Batch(state.session)
        for reply in replies { reply() }
    }

    /// Whether this failure ends the loop.
    func needsAnother(because failure: TransferFailure) -> Bool {
        if !state.store.isInPlace { return true }
        guard failure.code == .storeDamaged else { return false }
        return health.mayMend(at: state.now)
    }

    /// Ends the turn and the loop: memory is as before the turn, and the inputs wait for the next loop.
    func giveUp(_ inputs: [LoopInput], because failure: TransferFailure) {
        undo([], because: failure)
        health.giveUp(because: failure)
        state.backlog = inputs.filter { !$0.isDamage }
        endEngine()
        // The next loop signals the watchers, and they pull again.
        state.audience.refusePulls()
        slots.giveBack()
    }

    /// Schedules another attempt to start the replacement loop. Until then nothing is transferred or changed.
    func wait(because failure: TransferFailure) {
        health.waitForReplacement(until: state.environment.now() + .seconds(2))
        refuse([], because: failure)
    }

    /// Answers queries and refuses changes until another loop replaces this one.
    func refuse(_ arrived: [LoopInput], because failure: TransferFailure) {
        let inputs = state.takeBacklog() + arrived
        undo(inputs, because: failure)
        // The next loop signals the watchers.
        state.audience.refusePulls()
    }

    /// Takes over the watchers, the pending inputs, and the state that is not in the store.
    func inherit(from old: SessionLoop) {
        let now = state.environment.now()
        state.store.release(at: now)
        jobs.continueTickets(of: old.jobs)
        health = StoreHealth(after: old.health, at: now)
        clockSteps = old.clockSteps
        state.inherit(from: old.state, at: now)
    }

    private func takeBack(_ input: LoopInput, because failure: TransferFailure) {
        switch input.actionWithoutDisk {
        case .takenAgain: if (try? process(input)) == nil { state.backlog.append(input) }
        case .askedAgain(let refuse): if (try? process(input)) == nil { state.answer { refuse(failure) } }
        case .refused(let refuse): state.answer { refuse(failure) }
        case .kept: state.backlog.append(input)
        case .dropped: break
        }
        // The departure of the app, which ends its runs, is stored when the disk allows it.
        if case .unwatch(let token) = input { state.audience.remove(token) }
    }
}
