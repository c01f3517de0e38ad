import LonghaulCore

/// What the loop waits for. Everything that concerns a session passes through its mailbox, in order of arrival.
enum LoopInput: Sendable {
    case command(SessionCommand, reply: @Sendable (SessionReply) -> Void)
    case engine(Ticket, EngineEvent)
    case watch(WatchToken, TransferSelection, WatchDetail = WatchDetail(), observer: @Sendable (WatchUpdate) -> Void)
    /// The watcher is told that there is something, and then asks for it.
    case watchByPulls(
        WatchToken, TransferSelection, WatchDetail = WatchDetail(), signal: @Sendable (_ isLost: Bool) -> Void)
    case pull(WatchToken, reply: @Sendable (WatchUpdate?) -> Void)
    case unwatch(WatchToken)
    /// The app is here, and wants to know the number of the newest event: at once, and whenever it changes.
    case attach(WatchToken, observer: @Sendable (Int64) -> Void)
    /// The app has handlers for background tasks here, and wants to know which runs are its own.
    case addRunner(WatchToken, TaskRunner, observer: @Sendable (TaskAssignments) -> Void)
    case wakeEnded(WakeReport)
    case notification(NotificationKey, NotificationNews)
    /// The clock was set, or another time zone counts.
    case clockChanged
    case networkReturned
    /// Links, addresses, or routes have changed.
    case networkChanged
    /// The conditions, the person's limits or the clock have changed.
    case surroundings(Surroundings)
    /// Calls back when nothing is being stopped any more.
    case whenSettled(reply: @Sendable () -> Void)
    /// Frees what is only kept to be quick.
    case releaseMemory(reply: @Sendable () -> Void)
    /// A transfer's exchange was not begun, since its credential is not there.
    case credentialMissing(TransferID)
    /// An exchange got no more from the budgets.
    case budgetUsed(TransferID)
    case credentialAnswered(UInt64, CredentialAnswer)
    /// An app gives the session's credentials from now on, or does not any more.
    case provider(ProviderToken, (any CredentialSource)?)
    /// Asks which transfers something is being done for.
    case live(answer: @Sendable (Set<TransferID>) -> Void)
    case reconcile(ReconcileDraft, reply: @Sendable (SessionReply) -> Void)
    /// The app is about to leave; the reply tells what becomes of what is under way.
    case planHandoff(grace: Duration, hasService: Bool, reply: @Sendable (HandoffPolicy.Plan) -> Void)
    /// How many of those that wait are begun from now on.
    case granting(TurnGranting)
    /// The engine carries these by other means from now on.
    case relocate([TransferID])
    /// Another process wants the session; the reply tells why it does not get it, or that the loop is about to end.
    case release(ReleaseMode, reply: @Sendable (TransferFailure?) -> Void)
    /// The store was found to be damaged by somebody who read along.
    case damaged(TransferFailure)
    case stop

    var isRelease: Bool { if case .release = self { true } else { false } }
    var isPull: Bool { if case .pull = self { true } else { false } }
    var isDamage: Bool { if case .damaged = self { true } else { false } }
}

extension LoopInput {
    /// What becomes of an input when the disk takes nothing of its turn.
    enum Fate {
        /// It is taken again at once, since it needs no disk. If it needs one after all, it is kept.
        case takenAgain
        /// It is a question. It is asked again at once, and refused if that cannot be answered.
        case askedAgain(refuse: (TransferFailure) -> Void)
        /// It would change something.
        case refused((TransferFailure) -> Void)
        /// It has happened, and is taken in when that can be kept.
        case kept
        /// It is no part of the turn, or is found again when it is met.
        case dropped
    }

    var fateWithoutDisk: Fate {
        switch self {
        case .command(let command, let reply):
            command.isQuestion ? .askedAgain { reply(.failed($0)) } : .refused { reply(.failed($0)) }
        case .reconcile(_, let reply): .refused { reply(.failed($0)) }
        case .watch, .watchByPulls, .live, .planHandoff, .release, .releaseMemory, .whenSettled: .takenAgain
        case .attach, .addRunner, .unwatch, .wakeEnded, .notification, .engine, .relocate, .granting, .networkReturned,
            .networkChanged, .clockChanged, .surroundings, .credentialMissing, .budgetUsed, .credentialAnswered,
            .provider,
            .stop:
            .kept
        case .pull, .damaged: .dropped
        }
    }
}
