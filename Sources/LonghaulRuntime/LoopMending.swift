import LonghaulCore
import LonghaulStore

/// A turn whose commit failed; and a loop whose store is damaged, or was taken away, which does nothing more: another one goes on with a
/// new store. To the transfers it is as if the process had died before the turn's commit.
extension SessionLoop {
    /// The disk took nothing of this turn: everything is as before. What would change something is refused, questions are
    /// answered, and what has happened is kept for later.
    func undo(_ inputs: [LoopInput], because failure: TransferFailure) {
        performEarly()
        state.undo(tryAgainAt: health.refuse(because: failure, at: state.now))
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

    /// Ends the turn and the loop: memory is as before the turn, and what has arrived waits for the next loop.
    func giveUp(_ inputs: [LoopInput], because failure: TransferFailure) {
        undo([], because: failure)
        health.giveUp(because: failure)
        state.backlog = inputs.filter { !$0.isDamage }
        endEngine()
        // The next loop tells who watches that there is something, and is asked then.
        state.audience.refusePulls()
        slots.giveBack()
    }

    /// No other loop could take its place; that is tried again in a moment. Meanwhile nothing moves and nothing is changed.
    func wait(because failure: TransferFailure) {
        health.waitForReplacement(until: state.environment.now() + .seconds(2))
        refuse([], because: failure)
    }

    /// Answers questions and refuses the rest, for as long as no other loop is in its place.
    func refuse(_ arrived: [LoopInput], because failure: TransferFailure) {
        let inputs = state.takeBacklog() + arrived
        undo(inputs, because: failure)
        // The next loop tells who watches that there is something.
        state.audience.refusePulls()
    }

    /// Takes over whoever watches, what has arrived and what the process knows beyond the store.
    func inherit(from old: SessionLoop) {
        let now = state.environment.now()
        state.store.letGo(at: now)
        jobs.continueTickets(of: old.jobs)
        health = StoreHealth(after: old.health, at: now)
        state.inherit(from: old.state, at: now)
    }

    private func takeBack(_ input: LoopInput, because failure: TransferFailure) {
        switch input.fateWithoutDisk {
        case .takenAgain: if (try? take(input)) == nil { state.backlog.append(input) }
        case .askedAgain(let refuse): if (try? take(input)) == nil { state.answer { refuse(failure) } }
        case .refused(let refuse): state.answer { refuse(failure) }
        case .kept: state.backlog.append(input)
        case .dropped: break
        }
        // That the app has gone, and its runs with it, is noted when that can be kept.
        if case .unwatch(let token) = input { state.audience.leave(token) }
    }
}
