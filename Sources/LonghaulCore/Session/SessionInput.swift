/// An input to the machine of a session.
package enum SessionInput: Equatable, Sendable {
    /// This process took over the session. The reason is set if the previous owner was lost.
    case tookOver(SessionOwner, OwnerLossReason?)
    /// The previous owner was lost, and its policy was applied.
    case ownerLost(OwnerLossReport)
    case ownerLossAcknowledged
    case ownerLossPolicyChanged(OwnerLossPolicy)
    /// A connection of the app was attached.
    case attached(WatchToken)
    case detached(WatchToken)
    /// The app acknowledged the events up to this number.
    case eventsAcknowledged(through: Int64)
    /// The state of the store after the events of this turn were written.
    case eventsWritten(EventMachine.Facts)
    /// The number of transfers in each state, once all changes of a turn are known.
    case transfersCounted(SessionTotals)
    /// The way to launch the app changed.
    case wakeRegistered(WakeRegistration?)
    case wakeEnded(WakeReport)
    /// An event of a background task, with the task's record.
    case task(String, BackgroundTaskRecord?, BackgroundTaskMachine.Event)
    /// A background task became due; `nil` if it is gone.
    case taskFound(BackgroundTaskRecord?)
    case taskReturned(TaskReturn)
    case taskSettingsChanged(BackgroundTaskSettings)
    /// A process has handlers for background tasks until it is detached.
    case runnerAdded(WatchToken, TaskRunner)
    /// A transfer that an earlier owner left, with its predecessor, which may be gone.
    case followerFound(TransferRecord, predecessor: TransferRecord?)
    case clockChanged
    /// The conditions and rate limits of the session changed.
    case rulesChanged(SessionRules)
    case surroundingsChanged(Surroundings)
    case notificationRequested(NotificationRequest)
    case notificationChanged(NotificationKey, NotificationEvent)
    case lastWill(LastWillOrder)
    /// The processes that locked these witnesses have ended.
    case lost(Set<String>)
}

/// An effect that a session's machine requests.
package enum SessionEffect: Equatable, Sendable {
    /// Writes to the store in the turn's transaction, at once and in this order.
    case write(SessionWrite)
    /// Refuses the input. Nothing has changed.
    case refuse(TransferFailure)
    /// Controls the transfers of a notification, in this turn.
    case control(ControlVerb, NotificationKey)
    /// Counts every transfer that has not ended with `countNotified`, in this turn.
    case countNotified
    /// Looks up the task's record and feeds it back with the event, or as it was found, in this turn.
    case lookUp(String, BackgroundTaskMachine.Event?)
    /// Sends an event to a transfer, in this turn.
    case feed(TransferID, TransferEvent)
    /// Reviews every transfer that runs or waits for a condition, in this turn.
    case reviewTransfers
    /// Checks which of these witnesses are unlocked, and feeds them back, in this turn.
    case findLost([String])
    /// Submits transfers, in this turn.
    case submit([TransferSpec])
    /// Deletes the file of a witness, after the commit.
    case forgetWitness(String)
    /// Queries for a credential, after the commit.
    case query(CredentialQuestion)
    /// Reports to the helper how a server responded to its credential, after the commit.
    case notifyHelper(CredentialVerdict, Credential, CredentialRequest)
    /// Sends a process its runs, after the commit.
    case notifyRunner(WatchToken, TaskAssignments)
    /// Notifies the subscribers to events, after the commit.
    case reportNewestEvent(Int64)
    /// Shows or closes a notification, after the commit.
    case show(NotificationOrder)
    /// Launches the app, after the commit.
    case wake(WakeOrder)
}

/// A write to the store that a session's machine decided on.
package enum SessionWrite: Equatable, Sendable {
    case keepEvents
    /// Replaces an event of the same kind for the same transfer. `wakes`: the app is launched for the event.
    case addEvent(EventRecord.Kind, TransferID?, wakes: Bool)
    case addTap(NotificationTap)
    case withdrawEvents(EventRecord.Kind, of: TransferID?)
    case withdrawAllEvents(of: TransferID)
    case acknowledgeEvents(through: Int64)
    case wakeRegistration(WakeRegistration?)
    case wakeRecord(WakeRecord)
    case task(BackgroundTaskRecord)
    /// Deletes the record of a task.
    case noTask(String)
    case taskSettings(BackgroundTaskSettings)
    case taskThrottle(BackgroundTaskThrottle)
    case rules(SessionRules)
    case notificationSettings(NotificationSettings?)
    /// `nil` if the slot is empty.
    case notificationSlot(NotificationKey, NotificationSlot?)
    case lastWills([LastWill])
    case owner(SessionOwner)
    case ownerLossPolicy(OwnerLossPolicy)
    /// `nil` once the loss is acknowledged.
    case ownerLoss(OwnerLossReport?)
}
