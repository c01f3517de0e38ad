import LonghaulCore

/// Inputs of the loop. Everything that concerns a session passes through its mailbox, in order of arrival.
enum LoopInput: Sendable {
    case command(SessionCommand, reply: @Sendable (SessionReply) -> Void)
    case engine(Ticket, EngineEvent)
    case watch(WatchToken, TransferSelection, WatchDetail = WatchDetail(), observer: @Sendable (WatchUpdate) -> Void)
    /// The watcher receives a signal when updates exist, and then pulls them.
    case watchByPulls(
        WatchToken, TransferSelection, WatchDetail = WatchDetail(), signal: @Sendable (_ isLost: Bool) -> Void)
    case pull(WatchToken, reply: @Sendable (WatchUpdate?) -> Void)
    case unwatch(WatchToken)
    /// An app attaches, and observes the number of the newest event: at once and on every change.
    case attach(WatchToken, observer: @Sendable (Int64) -> Void)
    /// A process with handlers for background tasks observes which runs it owns.
    case addRunner(WatchToken, TaskRunner, observer: @Sendable (TaskAssignments) -> Void)
    case wakeEnded(WakeReport)
    case notification(NotificationKey, NotificationEvent)
    /// The clock was set, or the time zone changed.
    case clockChanged
    case networkReturned
    /// The user unlocked the device.
    case unlocked
    /// Links, addresses, or routes have changed.
    case networkChanged
    /// The conditions, the user's limits, or the clock changed.
    case surroundings(Surroundings)
    /// Calls back when no step is still being stopped.
    case whenSettled(reply: @Sendable () -> Void)
    /// Frees memory that only caches values.
    case releaseMemory(reply: @Sendable () -> Void)
    /// A transfer's exchange did not start, because its credential is missing.
    case credentialMissing(TransferID)
    /// An exchange got no more bytes from the budgets.
    case budgetUsed(TransferID)
    case credentialAnswered(UInt64, CredentialAnswer)
    /// An app starts providing the session's credentials; `nil` when it stops.
    case provider(ProviderToken, (any CredentialSource)?)
    /// Queries the transfers that the engine works on.
    case live(answer: @Sendable (Set<TransferID>) -> Void)
    case reconcile(ReconcileDraft, reply: @Sendable (SessionReply) -> Void)
    /// The app is about to exit. The reply is the plan for its active transfers.
    case planHandoff(grace: Duration, hasService: Bool, reply: @Sendable (HandoffPolicy.Plan) -> Void)
    /// How many waiting transfers start from now on.
    case granting(TurnGranting)
    /// The engine moves these transfers to another transport.
    case relocate([TransferID])
    /// Another process wants the session. The reply is the refusal, or `nil` if the loop is about to end.
    case release(ReleaseMode, reply: @Sendable (TransferFailure?) -> Void)
    /// The session should be closed if it has nothing to do. The reply is whether the loop is about to end for that.
    case rest(reply: @Sendable (Bool) -> Void)
    /// A reader of the store found it damaged.
    case damaged(TransferFailure)
    case stop

    var isRelease: Bool { if case .release = self { true } else { false } }
    var isRest: Bool { if case .rest = self { true } else { false } }
    var isPull: Bool { if case .pull = self { true } else { false } }
    var isStop: Bool { if case .stop = self { true } else { false } }
    var isQuery: Bool { if case .command(let command, _) = self { command.isQuestion } else { false } }
    var isDamage: Bool { if case .damaged = self { true } else { false } }
}

extension LoopInput {
    /// How an input is handled when its turn cannot be committed.
    enum WriteFailureAction {
        /// Handled again at once, because it needs no disk. If it does need one, it is kept.
        case takenAgain
        /// A query. Handled again at once, and refused if that fails.
        case askedAgain(refuse: (TransferFailure) -> Void)
        /// A change, which is refused.
        case refused((TransferFailure) -> Void)
        /// An event that has happened, handled when it can be stored.
        case kept
        /// Not part of the turn, or found again later.
        case dropped
    }

    /// Refuses a query because the session is being closed. Returns `false` for every other input.
    func refuseQuery() -> Bool {
        guard isQuery, case .command(_, let reply) = self else { return false }
        reply(.failed(.sessionIsClosing))
        return true
    }

    var actionWithoutDisk: WriteFailureAction {
        switch self {
        case .command(let command, let reply):
            command.isQuestion ? .askedAgain { reply(.failed($0)) } : .refused { reply(.failed($0)) }
        case .reconcile(_, let reply): .refused { reply(.failed($0)) }
        case .watch, .watchByPulls, .live, .planHandoff, .release, .releaseMemory, .whenSettled, .rest: .takenAgain
        case .attach, .addRunner, .unwatch, .wakeEnded, .notification, .engine, .relocate, .granting, .networkReturned,
            .unlocked,
            .networkChanged, .clockChanged, .surroundings, .credentialMissing, .budgetUsed, .credentialAnswered,
            .provider,
            .stop:
            .kept
        case .pull, .damaged: .dropped
        }
    }
}

extension TransferFailure {
    static let sessionIsClosing = TransferFailure(
        .serviceUnavailable, "The session is being closed. Try again in a moment.")
}
