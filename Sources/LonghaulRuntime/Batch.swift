import LonghaulCore

/// What one turn has decided and not yet done.
final class Batch {
    /// A transfer as it was before, and as it is now; `nil` when it is gone. An object, since the values are long.
    final class Change {
        let before: LiveTransfer
        var after: LiveTransfer?

        init(before: LiveTransfer, after: LiveTransfer?) {
            self.before = before
            self.after = after
        }
    }

    /// New transfers.
    var inserted: Set<TransferID> = []
    /// The other transfers it touched.
    private(set) var changes: [TransferID: Change] = [:]
    /// Jobs whose last event was handled, with how much an exchange has moved; forgotten only when what they led to is on disk.
    var endedJobs: [(ticket: Ticket, moved: Int64?)] = []
    /// Alarms that rang.
    var rung: [TransferID] = []
    /// The limits in effect before, if they were changed.
    var oldLimits: SessionLimits?
    /// Those that a person tries against the wish of their host.
    var defiant: [TurnQueue.Entry] = []
    /// Transfers that the user starts beyond the limits.
    var started: [TurnQueue.Entry] = []
    var actions: [(TransferID, TransferAction)] = []
    var replies: [() -> Void] = []
    var isWriting = false
    /// The session as it was before.
    let before: SessionMachine
    /// What the session's machine wants done when all of this is on disk.
    var effects: [SessionEffect] = []

    init(_ session: SessionMachine) {
        before = session
    }

    /// So large a table is not kept for the next turn.
    private static let room = 1_024

    /// That of the next turn, with the memory of this one's table. A table that would grow again in each turn is only emptied.
    func next(_ session: SessionMachine) -> Batch {
        let next = Batch(session)
        if changes.count <= Self.room {
            swap(&next.changes, &changes)
            next.changes.removeAll(keepingCapacity: true)
        }
        return next
    }

    func note(_ id: TransferID, from before: LiveTransfer, to after: LiveTransfer?) {
        if let known = changes[id] {
            known.after = after
        } else {
            changes[id] = Change(before: before, after: after)
        }
    }

    /// Whether somebody waits for the commit: for an answer, or for an action that comes after it.
    var isAwaited: Bool { !replies.isEmpty || !actions.isEmpty }

    /// Whether it has a part in what becomes of a transfer.
    func touches(_ id: TransferID) -> Bool { changes[id] != nil || inserted.contains(id) }

    /// What was decided on a transfer begins before the commit: it is no part of the turn any more.
    func release(_ id: TransferID, actionsAfter count: Int) {
        actions.removeSubrange(count...)
        changes[id] = nil
    }
}
