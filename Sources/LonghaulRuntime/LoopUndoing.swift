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
        for id in batch.inserted { audience.watchers.note(id, nil, group: nil, wasLive: true) }
        turns.undo(batch, tryAgainAt: health.refuse(because: failure, at: now))
        behind.undo(at: now)
        session = batch.before
        // What has begun early goes on, until its hours end.
        for transfer in turns.live.values { planReview(of: transfer.record) }
        batch = Batch(session)
        for input in inputs { takeBack(input, because: failure) }
        refuseRuns(failure)
        let replies = batch.replies
        batch = Batch(session)
        for reply in replies { reply() }
    }

    private func takeBack(_ input: LoopInput, because failure: TransferFailure) {
        switch input.fateWithoutDisk {
        case .takenAgain: if (try? take(input)) == nil { backlog.append(input) }
        case .askedAgain(let refuse): if (try? take(input)) == nil { answer { refuse(failure) } }
        case .refused(let refuse): answer { refuse(failure) }
        case .kept: backlog.append(input)
        case .dropped: break
        }
        // That the app has gone, and its runs with it, is noted when that can be kept.
        if case .unwatch(let token) = input { audience.leave(token) }
    }
}
