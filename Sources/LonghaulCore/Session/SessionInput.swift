/// What happens to a session as a whole.
package enum SessionInput: Equatable, Sendable {
    /// This process has the session now; why the owner before is gone, if it did not let go by itself.
    case tookOver(SessionOwner, OwnerLossReason?)
    /// What was done about an owner that was lost.
    case ownerLost(OwnerLossReport)
    case ownerLossAcknowledged
    case ownerLossPolicyChanged(OwnerLossPolicy)
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
    /// Something has happened to a background task, whose record is this.
    case task(String, BackgroundTaskRecord?, BackgroundTaskMachine.Event)
    /// A background task whose date has come; `nil` when it is gone.
    case taskFound(BackgroundTaskRecord?)
    case taskReturned(TaskReturn)
    case taskSettingsChanged(BackgroundTaskSettings)
    /// A process has handlers for background tasks, until it is detached.
    case runnerAdded(WatchToken, TaskRunner)
    /// A transfer that an earlier owner left and that follows another one, which may be gone.
    case followerFound(TransferRecord, predecessor: TransferRecord?)
    case clockChanged
    /// When and how fast the session's bytes move from now on.
    case rulesChanged(SessionRules)
    case surroundingsChanged(Surroundings)
    case notificationRequested(NotificationRequest)
    case notificationChanged(NotificationKey, NotificationNews)
    case lastWill(LastWillOrder)
    /// The witnesses of these processes are held by nobody any more.
    case lost(Set<String>)
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
    /// Feeds the task's record back, in this turn: with what has happened to it, or as it was found.
    case lookUp(String, BackgroundTaskMachine.Event?)
    /// To a transfer, in this turn.
    case feed(TransferID, TransferEvent)
    /// Looks at every transfer that runs or waits for a condition, in this turn.
    case reviewTransfers
    /// Feeds back, in this turn, which of these witnesses nobody holds.
    case lookForLost([String])
    /// In this turn.
    case submit([TransferSpec])
    /// After the commit: the file is needed no more.
    case forgetWitness(String)
    /// After the commit: asks for a credential.
    case ask(CredentialQuestion)
    /// After the commit: tells the helper what came of a credential that it gave.
    case tellHelper(CredentialVerdict, Credential, CredentialRequest)
    /// After the commit: tells a process which runs are its own.
    case tellRunner(WatchToken, TaskAssignments)
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
    case task(BackgroundTaskRecord)
    /// Nothing is left to know of the task.
    case noTask(String)
    case taskSettings(BackgroundTaskSettings)
    case taskThrottle(BackgroundTaskThrottle)
    case rules(SessionRules)
    case notificationSettings(NotificationSettings?)
    /// `nil` for one that there is nothing to say about any more.
    case notificationSlot(NotificationKey, NotificationSlot?)
    case lastWills([LastWill])
    case owner(SessionOwner)
    case ownerLossPolicy(OwnerLossPolicy)
    /// `nil` once it is acknowledged.
    case ownerLoss(OwnerLossReport?)
}
