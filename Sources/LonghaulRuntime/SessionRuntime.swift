package import LonghaulCore
import LonghaulStore
import LonghaulSystem
import Synchronization

/// A session that this process owns: its loop runs on a separate thread and receives inputs through a mailbox.
package final class SessionRuntime: Sendable {
    private let mailbox: Mailbox
    private let state: Mutex<State>
    private let thread: LoopThread
    private let desk: ReconcileCoordinator
    /// The last forced end of the app that ran the session, unless it was acknowledged (`SessionCommand.acknowledgeOwnerLoss`), as
    /// of the opening.
    package let ownerLoss: OwnerLossReport?

    private struct State {
        var activity: SessionActivity
        var nextWatch: UInt64 = 1
        var nextProvider: UInt64 = 1
    }

    /// Takes the lock, opens the store, recovers, and starts the loop.
    ///
    /// Fails with `sessionInUse` while another process has the session, otherwise with `storeFailed` or `diskFull`. The readable
    /// part of a damaged store is moved to a new one (`SessionDirectory.damage` reports that).
    package static func open(
        layout: SessionLayout, environment: RuntimeEnvironment
    ) throws(TransferFailure) -> SessionRuntime {
        try open(SessionDirectory(layout), environment: environment)
    }

    /// Opens a session in a directory whose lock this process has.
    package static func open(
        _ directory: SessionDirectory, environment: RuntimeEnvironment
    ) throws(TransferFailure) -> SessionRuntime {
        let mailbox = Mailbox()
        let opening = SessionOpening(directory: directory, environment: environment, mailbox: mailbox)
        let loop = try opening.open()
        return try SessionRuntime(opening, loop, ownerLoss: try loop.state.store.ownerLoss())
    }

    private init(
        _ opening: SessionOpening, _ loop: SessionLoop, ownerLoss: OwnerLossReport?
    ) throws(TransferFailure) {
        self.ownerLoss = ownerLoss
        mailbox = opening.mailbox
        desk = ReconcileCoordinator(
            layout: loop.state.directory.layout, anchors: loop.state.environment.anchors, mailbox: mailbox,
            now: loop.state.environment.now)
        state = Mutex(State(activity: loop.state.activity))
        thread = LoopThread()
        let reportIdle = opening.environment.reportIdle
        let session = opening.directory.layout.session
        try thread.start(loop, opening) { [self] activity in
            let isNews = state.withLock { state in
                defer { state.activity = activity }
                return activity.isIdle && !state.activity.isIdle
            }
            if isNews, let session { reportIdle?(session) }
        }
    }

    /// Sends a command. The reply comes on the loop's thread, after the commit if there is one.
    package func send(_ command: SessionCommand, reply: @escaping @Sendable (SessionReply) -> Void) {
        if command == .reconcile { return reconcile(reply: reply) }
        guard !mailbox.put([.command(command, reply: reply)]) else { return }
        reply(.failed(.sessionIsClosing))
    }

    /// Compares records, live transfers, and files, and repairs what needs no decision of the user. It reads every record and
    /// inspects every file on a separate thread, while the session continues.
    package func reconcile(reply: @escaping @Sendable (SessionReply) -> Void) {
        desk.begin(reply)
    }

    /// Watches transfers. The observer is called on the loop's thread, first with the current state.
    package func watch(
        _ selection: TransferSelection, _ detail: WatchDetail = WatchDetail(),
        observer: @escaping @Sendable (WatchUpdate) -> Void
    ) -> WatchToken {
        let token = makeToken()
        mailbox.put([.watch(token, selection, detail, observer: observer)])
        return token
    }

    /// Watches transfers for a watcher that pulls its updates in pages when it has room for them. `signal` is called on the loop's
    /// thread when there are updates.
    package func watch(
        _ selection: TransferSelection, _ detail: WatchDetail,
        signal: @escaping @Sendable (WatchSignal) -> Void
    ) -> WatchToken {
        let token = makeToken()
        let pull: WatchPull = { [mailbox] reply in
            // A closed session has no updates.
            if !mailbox.put([.pull(token, reply: reply)]) { reply(nil) }
        }
        mailbox.put([.watchByPulls(token, selection, detail) { signal($0 ? .lost : .news(pull)) }])
        return token
    }

    /// Attaches the app until `unwatch`, so that it is not started meanwhile. The observer is called on the loop's thread with the
    /// number of the newest event, at once and on every change.
    package func attach(observer: @escaping @Sendable (Int64) -> Void) -> WatchToken {
        let token = makeToken()
        mailbox.put([.attach(token, observer: observer)])
        return token
    }

    /// Registers a process with handlers for background tasks until `unwatch`. The observer is called on the loop's thread with its
    /// own runs, at once and on every change.
    package func runTasks(
        _ runner: TaskRunner, observer: @escaping @Sendable (TaskAssignments) -> Void
    ) -> WatchToken {
        let token = makeToken()
        mailbox.put([.addRunner(token, runner, observer: observer)])
        return token
    }

    /// Ends a watch, an attachment, or the running of tasks.
    package func unwatch(_ token: WatchToken) {
        mailbox.put([.unwatch(token)])
    }

    /// Adds an app as a source of the session's credentials.
    package func addProvider(_ source: any CredentialSource) -> ProviderToken {
        let token = state.withLock { state in
            defer { state.nextProvider += 1 }
            return ProviderToken(number: state.nextProvider)
        }
        mailbox.put([.provider(token, source)])
        return token
    }

    /// Removes that app. It should answer pending requests first.
    package func removeProvider(_ token: ProviderToken) {
        mailbox.put([.provider(token, nil)])
    }

    /// A network is available again: transfers that wait for one resume.
    package func reportNetworkReturn() {
        mailbox.put([.networkReturned])
    }

    /// The user unlocked the device: transfers of protected files resume.
    package func reportUnlock() {
        mailbox.put([.unlocked])
    }

    /// Links, addresses, or routes have changed: connections that lost theirs are closed.
    package func reportNetworkChange() {
        mailbox.put([.networkChanged])
    }

    /// The conditions or the user's limits have changed.
    package func update(_ surroundings: Surroundings) {
        mailbox.put([.surroundings(surroundings)])
    }

    /// Calls back, on the loop's thread, when earlier inputs are on disk and no step is still being stopped.
    package func whenSettled(_ reply: @escaping @Sendable () -> Void) {
        if !mailbox.put([.whenSettled(reply: reply)]) { reply() }
    }

    /// Frees memory that only caches values, and calls back.
    package func releaseMemory(_ reply: @escaping @Sendable () -> Void) {
        if !mailbox.put([.releaseMemory(reply: reply)]) { reply() }
    }

    /// The clock was set, or the time zone changed.
    package func reportClockChange() {
        mailbox.put([.clockChanged])
    }

    /// The session's outstanding work, as of the loop's last turn.
    package var activity: SessionActivity { state.withLock { $0.activity } }

    /// Requests a plan for active transfers, because the app is about to exit. The reply comes on the loop's thread; a closed
    /// session has no active transfers.
    package func planHandoff(
        grace: Duration, hasService: Bool, reply: @escaping @Sendable (HandoffPolicy.Plan) -> Void
    ) {
        let input = LoopInput.planHandoff(grace: grace, hasService: hasService, reply: reply)
        if !mailbox.put([input]) { reply(HandoffPolicy.Plan(actions: [:], departure: .now)) }
    }

    /// Holds or releases transfers that wait for their turn. An app that is about to exit starts no transfer that would soon be
    /// moved.
    package func holdTurns(_ isHeld: Bool) {
        mailbox.put([.granting(isHeld ? .held : .usual)])
    }

    /// Starts waiting transfers at once, up to this many in total, by priority and age, whatever the session's limits are. The
    /// system continues all exchanges that it has when this process ends, but never starts the next one. `holdTurns(false)` ends
    /// this.
    package func grantInOneBatch(upTo count: Int) {
        mailbox.put([.granting(.inOneBatch(count))])
    }

    /// Requests that the session end for another owner. The reply comes on the loop's thread: the refusal, or `nil` if the loop is
    /// about to end; then `stop()` returns when the lock is free.
    package func release(_ mode: ReleaseMode, reply: @escaping @Sendable (TransferFailure?) -> Void) {
        if !mailbox.put([.release(mode, reply: reply)]) { reply(nil) }
    }

    /// Closes the session if it has nothing to do, and returns when that is done. Returns `false` if the session stays open.
    package func rest() -> Bool {
        guard !desk.isBusy else { return false }
        let answered = Semaphore()
        let isGranted = Atomic(false)
        let isOpen = mailbox.put([
            .rest { rests in
                isGranted.store(rests, ordering: .releasing)
                answered.raise()
            }
        ])
        guard isOpen else { return false }
        answered.wait()
        guard isGranted.load(ordering: .acquiring) else { return false }
        thread.join()
        desk.stop()
        return true
    }

    /// Moves these transfers to another transport, which the engine knows already. Bytes that cannot be resumed are transferred
    /// again; a body that has been sent stays where it is.
    package func relocate(_ ids: [TransferID]) {
        mailbox.put([.relocate(ids)])
    }

    private func makeToken() -> WatchToken {
        state.withLock { state in
            defer { state.nextWatch += 1 }
            return WatchToken(number: state.nextWatch)
        }
    }

    /// Stops at the last synced offsets, closes the store, and releases the lock. Returns when all of that is done.
    package func stop() {
        mailbox.put([.stop])
        thread.join()
        desk.stop()
    }
}

/// A session's outstanding work.
package struct SessionActivity: Equatable, Sendable {
    package var totals: SessionTotals
    /// Whether anything may still happen without new input.
    package var hasLiveWork: Bool
    /// Whether the session can be closed until the next request: nothing will happen without one, and no process watches it.
    package var isIdle: Bool
    /// The session as it was closed for that reason, if nothing happened meanwhile.
    package var rest: SessionRest?

    package init(totals: SessionTotals, hasLiveWork: Bool, isIdle: Bool = false) {
        self.totals = totals
        self.hasLiveWork = hasLiveWork
        self.isIdle = isIdle
    }
}
