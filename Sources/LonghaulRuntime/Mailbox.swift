import LonghaulCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

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
    case credentialAnswered(UInt64, CredentialAnswer)
    /// An app gives the session's credentials from now on, or does not any more.
    case provider(ProviderToken, (any CredentialSource)?)
    /// Asks which transfers something is being done for.
    case live(answer: @Sendable (Set<TransferID>) -> Void)
    case reconcile(ReconcileDraft, reply: @Sendable (SessionReply) -> Void)
    /// The app is about to leave; the reply tells what becomes of what is under way.
    case planHandoff(grace: Span, hasService: Bool, reply: @Sendable (HandoffPolicy.Plan) -> Void)
    /// Whether transfers that wait for their turn are held back: what is begun now would be moved in a moment.
    case holdTurns(Bool)
    /// Another process wants the session; the reply tells why it does not get it, or that the loop is about to end.
    case release(ReleaseMode, reply: @Sendable (TransferFailure?) -> Void)
    /// The store was found to be damaged by somebody who read along.
    case damaged(TransferFailure)
    case stop

    var isRelease: Bool { if case .release = self { true } else { false } }
    var isPull: Bool { if case .pull = self { true } else { false } }
}

/// A queue from any thread to the loop's thread, which waits on it until a wall-clock date.
///
/// `@unchecked Sendable`: `inputs` is touched only while `mutex` is held; the C objects are made once, never moved
/// and freed with the last reference.
final class Mailbox: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var inputs: [LoopInput] = []
    private var isClosed = false

    init() {
        precondition(pthread_mutex_init(mutex, nil) == 0, "no mutex")
        precondition(pthread_cond_init(condition, nil) == 0, "no condition")
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Whether the loop will see them; a stopped one sees nothing any more.
    @discardableResult
    func put(_ new: [LoopInput]) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !isClosed else { return false }
        inputs.append(contentsOf: new)
        pthread_cond_signal(condition)
        return true
    }

    /// Takes nothing more, and gives what nobody has seen.
    func close() -> [LoopInput] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isClosed = true
        return takeAll()
    }

    /// What the engine has said before anything else arrived. `waits`: when nothing has arrived at all, it waits a moment.
    func takeEngineEvents(upTo limit: Int, waits: Bool) -> [LoopInput] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if waits, inputs.isEmpty { waitAMoment() }
        let others = inputs.firstIndex { if case .engine = $0 { false } else { true } }
        let count = min(limit, others ?? inputs.count)
        // Nearly always these are all there are; the others would be copied.
        if count == inputs.count { return takeAll() }
        let taken = Array(inputs[..<count])
        inputs.removeFirst(count)
        return taken
    }

    /// About as long as a short exchange takes. A clock that is set meanwhile arrives as an input of its own.
    private func waitAMoment() {
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        deadline.tv_nsec += Self.moment
        if deadline.tv_nsec >= 1_000_000_000 {
            deadline.tv_sec += 1
            deadline.tv_nsec -= 1_000_000_000
        }
        pthread_cond_timedwait(condition, mutex, &deadline)
    }

    /// In nanoseconds.
    private static let moment = 1_000_000

    /// Everything that has arrived; waits for something until `date`, which follows the wall clock when that is set.
    func take(until date: WallTime?) -> [LoopInput] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while inputs.isEmpty {
            guard let date else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            var deadline = timespec(
                tv_sec: Int(clamping: date.seconds), tv_nsec: Int(date.microsecondOfSecond * 1_000))
            if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { break }
        }
        return takeAll()
    }

    private func takeAll() -> [LoopInput] {
        let taken = inputs
        inputs = []
        return taken
    }
}
