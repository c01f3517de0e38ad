import LonghaulCore
import LonghaulStore

/// What happens when the store could not be written.
extension SessionLoop {
    /// The disk took nothing of this turn: everything is as before. What would change something is refused, questions are
    /// answered, and what has happened is kept for later.
    func undo(_ inputs: [LoopInput], because failure: TransferFailure) {
        if batch.isWriting {
            // A rollback that fails has nothing left to undo; the next begin says what is wrong.
            try? store.rollback()
        }
        performEarly()
        for (id, change) in batch.changes { settle(id, from: change.after, to: change.before) }
        for entry in batch.defiant { turns.queue.obey(entry) }
        for id in batch.inserted {
            turns.forget(id)
            watchers.note(id, nil, group: nil, wasLive: true)
        }
        turns.equals = EqualTransfers()
        behind.undo(at: now)
        if let limits = batch.oldLimits { turns.queue.setLimits(limits) }
        session = batch.before
        // What has begun early goes on, until its hours end.
        for transfer in turns.live.values { planReview(of: transfer.record) }
        let date = health.refuse(because: failure, at: now)
        for id in batch.rung { turns.alarms.set(id, at: date) }
        batch = Batch(session)
        for input in inputs {
            switch input {
            case .command(let command, let reply):
                if !answer(command, reply) { answer { reply(.failed(failure)) } }
            case .watch(let token, let selection, let detail, let observer):
                // Whoever cannot be told now what is there is told later.
                if (try? watch(token, selection, detail, .each(observer))) == nil { backlog.append(input) }
            case .watchByPulls(let token, let selection, let detail, let signal):
                if (try? watch(token, selection, detail, .signalled(signal))) == nil { backlog.append(input) }
            // It needs no disk. A watcher asks once at a time.
            case .pull(let token, let reply):
                if !pulls.contains(where: { $0.token == token }) { pulls.append((token, reply)) }
            case .unwatch(let token):
                // That the app has gone, and its runs with it, is noted when that can be kept.
                watchers.remove(token)
                attendees[token] = nil
                runners[token] = nil
                backlog.append(input)
            case .live(let tell):
                let ids = movingIDs
                answer { tell(ids) }
            case .reconcile(_, let reply): answer { reply(.failed(failure)) }
            // These need no disk, so they cannot fail.
            case .planHandoff, .release, .releaseMemory: try? take(input)
            // It is found again when it is met.
            case .damaged: break
            // These have happened, and are taken in when that can be kept.
            case .attach, .addRunner, .wakeEnded, .notification, .engine, .relocate, .granting, .networkReturned,
                .clockChanged, .surroundings, .whenSettled, .credentialMissing, .budgetUsed, .credentialAnswered,
                .provider, .stop:
                backlog.append(input)
            }
        }
        refuseRuns(failure)
        let replies = batch.replies
        batch = Batch(session)
        for reply in replies { reply() }
    }

    /// Whether the command is a question that could be answered.
    private func answer(_ command: SessionCommand, _ reply: @escaping @Sendable (SessionReply) -> Void) -> Bool {
        command.isQuestion && (try? obey(command, reply)) != nil
    }
}
