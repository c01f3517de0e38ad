/// What happens to a session as a whole.
package enum SessionInput: Equatable, Sendable {
    /// This process has the session now; who had it before, and why that one is gone if it did not let go by itself.
    case tookOver(from: SessionOwner.Kind?, OwnerLossReason?)
    /// The app is here.
    case attached(WatchToken)
    case detached(WatchToken)
    /// The app knows of the events up to this number.
    case eventsAcknowledged(through: Int64)
    /// How the store stands after the events of this turn were written.
    case eventsWritten(EventMachine.Facts)
    /// How many transfers are in each state, once all changes of a turn are known.
    case transfersCounted(SessionTotals)
    /// How the app is to be started from now on.
    case wakeRegistered(WakeRegistration?)
    case wakeEnded(WakeReport)
    /// A background task's handler has returned in time.
    case taskServed
    case notificationRequested(NotificationRequest)
    case notificationChanged(NotificationKey, NotificationNews)
}

/// What a session's machine wants done.
package enum SessionEffect: Equatable, Sendable {
    /// In the turn's transaction, at once and in this order.
    case write(SessionWrite)
    /// The input is not accepted; nothing has changed.
    case refuse(TransferFailure)
    /// To the transfers of a notification, in this turn.
    case control(ControlVerb, NotificationKey)
    /// Counts every transfer that has not ended with `countNotified`, in this turn.
    case countNotified
    /// After the commit: to those who want to know of events.
    case tellNewestEvent(Int64)
    /// After the commit.
    case show(NotificationOrder)
    /// After the commit.
    case wake(WakeOrder)
}

/// A change of the store that a session's machine has decided on.
package enum SessionWrite: Equatable, Sendable {
    case keepEvents
    /// Replaces what was known of the same kind for the same transfer. `wakes`: the app is to be started for it.
    case addEvent(EventRecord.Kind, TransferID?, wakes: Bool)
    case addTap(NotificationTap)
    case withdrawEvents(EventRecord.Kind, of: TransferID?)
    case withdrawAllEvents(of: TransferID)
    case acknowledgeEvents(through: Int64)
    case wakeRegistration(WakeRegistration?)
    case wakeRecord(WakeRecord)
    case notificationSettings(NotificationSettings?)
    /// `nil` for one that there is nothing to say about any more.
    case notificationSlot(NotificationKey, NotificationSlot?)
}
