import LonghaulCore
import LonghaulStore

/// A loop whose store is damaged, or was taken away: it does nothing more, and another one goes on with a new store. To the transfers
/// it is as if the process had died before the turn's commit.
extension SessionLoop {
    /// Whether this failure ends the loop.
    func needsAnother(because failure: TransferFailure) -> Bool {
        if !store.isInPlace { return true }
        guard failure.code == .storeDamaged else { return false }
        return health.mayMend(at: now)
    }

    /// Ends the turn and the loop: memory is as before the turn, and what has arrived waits for the next loop.
    func giveUp(_ inputs: [LoopInput], because failure: TransferFailure) {
        undo([], because: failure)
        health.giveUp(because: failure)
        backlog = inputs.filter { !$0.isDamage }
        let lastEngine = engine
        engine?.shutDown()
        engine = nil
        endFlows(of: lastEngine)
        // The next loop tells who watches that there is something, and is asked then.
        audience.refusePulls()
        slots.giveBack()
    }

    /// No other loop could take its place; that is tried again in a moment. Meanwhile nothing moves and nothing is changed.
    func wait(because failure: TransferFailure) {
        health.waitForReplacement(until: environment.now() + .seconds(2))
        refuse([], because: failure)
    }

    /// Answers questions and refuses the rest, for as long as no other loop is in its place.
    func refuse(_ arrived: [LoopInput], because failure: TransferFailure) {
        let inputs = backlog + arrived
        backlog = []
        undo(inputs, because: failure)
        // The next loop tells who watches that there is something.
        audience.refusePulls()
    }

    /// Transfers as memory knows them.
    var remembered: [StoredTransfer] {
        let underWay = (Array(turns.live.values) + Array(turns.tidying.values)).map {
            StoredTransfer(record: $0.record, host: $0.host)
        }
        return underWay + turns.newcomers.all
    }

    /// Takes over whoever watches, what has arrived and what the process knows beyond the store.
    func inherit(from old: SessionLoop) {
        // Else the owner before would be taken for one that was lost.
        store.letGo(at: environment.now())
        jobs.continueTickets(of: old.jobs)
        health = StoreHealth(after: old.health, at: environment.now())
        credentials.inherit(from: old.credentials)
        turns.isHeld = old.turns.isHeld
        session.inherit(from: old.session)
        backlog = old.audience.inputs(old.session.tasks.presentRunners) + old.backlog
    }
}
