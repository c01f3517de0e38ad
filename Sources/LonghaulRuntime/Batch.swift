import LonghaulCore

/// Decisions of one turn that are not performed yet.
final class Batch {
    /// A transfer before the turn and now; `nil` if it was deleted. A class, because copies of the values are large.
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
    /// The other changed transfers.
    private(set) var changes: [TransferID: Change] = [:]
    /// Jobs whose last event was handled, with the bytes that their exchange moved. Removed only after the commit.
    var endedJobs: [(ticket: Ticket, moved: Int64?)] = []
    /// Alarms that fired.
    var rung: [TransferID] = []
    /// The limits before this turn, if it changed them.
    var oldLimits: SessionLimits?
    /// Transfers that the user retries despite their host's Retry-After.
    var defiant: [TurnQueue.Entry] = []
    /// Transfers that the user starts beyond the limits.
    var started: [TurnQueue.Entry] = []
    var actions: [(TransferID, TransferAction)] = []
    var replies: [() -> Void] = []
    var isWriting = false
    /// The session's machine before the turn.
    let before: SessionMachine
    /// Effects that the session's machine requests for after the commit.
    var effects: [SessionEffect] = []

    init(_ session: SessionMachine) {
        before = session
    }

    /// A larger table is not kept for the next turn.
    private static let room = 1_024

    /// Returns the batch of the next turn. It reuses this batch's table, so that the table need not grow again in each turn.
    func next(_ session: SessionMachine) -> Batch {
        let next = Batch(session)
        if changes.count <= Self.room {
            swap(&next.changes, &changes)
            next.changes.removeAll(keepingCapacity: true)
        }
        return next
    }

    func record(_ id: TransferID, from before: LiveTransfer, to after: LiveTransfer?) {
        if let known = changes[id] {
            known.after = after
        } else {
            changes[id] = Change(before: before, after: after)
        }
    }

    /// Whether a client waits for the commit: for a reply, or for an action after it.
    var isAwaited: Bool { !replies.isEmpty || !actions.isEmpty }

    /// Whether the turn changes the transfer.
    func touches(_ id: TransferID) -> Bool { changes[id] != nil || inserted.contains(id) }

    /// Removes a transfer from the turn, because its actions begin before the commit.
    func release(_ id: TransferID, actionsAfter count: Int) {
        actions.removeSubrange(count...)
        changes[id] = nil
    }
}
