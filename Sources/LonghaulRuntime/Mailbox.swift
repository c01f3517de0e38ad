import LonghaulCore
import LonghaulSystem

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
}

/// A queue from any thread to the loop's thread, which waits on it until a wall-clock date.
final class Mailbox: Sendable {
    private struct State {
        var inputs: [LoopInput] = []
        var isClosed = false

        mutating func takeAll() -> [LoopInput] {
            let taken = inputs
            inputs = []
            return taken
        }
    }

    private let state = Monitor(State())

    /// Whether the loop will see them; a stopped one sees nothing any more.
    @discardableResult
    func put(_ new: [LoopInput]) -> Bool {
        state.change { state in
            guard !state.isClosed else { return false }
            state.inputs.append(contentsOf: new)
            return true
        }
    }

    /// Takes nothing more, and gives what nobody has seen.
    func close() -> [LoopInput] {
        state.change { state in
            state.isClosed = true
            return state.takeAll()
        }
    }

    /// What the engine has said before anything else arrived. `waits`: when nothing has arrived at all, it waits a moment.
    func takeEngineEvents(upTo limit: Int, waits: Bool) -> [LoopInput] {
        // About as long as a short exchange takes. A clock that is set meanwhile arrives as an input of its own.
        let moment = waits ? SystemClock.wallTime() + .milliseconds(1) : nil
        return state.wait(until: moment, while: { waits && $0.inputs.isEmpty }) { state in
            let others = state.inputs.firstIndex { if case .engine = $0 { false } else { true } }
            let count = min(limit, others ?? state.inputs.count)
            // Nearly always these are all there are; the others would be copied.
            if count == state.inputs.count { return state.takeAll() }
            let taken = Array(state.inputs[..<count])
            state.inputs.removeFirst(count)
            return taken
        }
    }

    /// Everything that has arrived; waits for something until `date`, which follows the wall clock when that is set.
    func take(until date: WallTime?) -> [LoopInput] {
        state.wait(until: date, while: \.inputs.isEmpty) { $0.takeAll() }
    }
}
