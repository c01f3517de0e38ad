package import LonghaulCore
import LonghaulStore
import Synchronization

/// A session that this process owns: its loop on a thread of its own, reached through a mailbox.
package final class SessionRuntime: Sendable {
    private let mailbox: Mailbox
    private let state: Mutex<State>
    private let thread: LoopThread
    private let desk: ReconcileDesk
    /// That the app which ran the session before was ended by force; the last such loss that nobody has acknowledged
    /// (`SessionCommand.acknowledgeOwnerLoss`), as of the opening.
    package let ownerLoss: OwnerLossReport?

    private struct State {
        var activity: SessionActivity
        var nextWatch: UInt64 = 1
        var nextProvider: UInt64 = 1
    }

    /// Takes the lock, opens the store, recovers and starts the loop.
    ///
    /// Fails with `sessionInUse` while another process has the session, else with `storeFailed` or `diskFull`. What can be read of
    /// a damaged store is moved to a new one (`SessionDirectory.damage` tells of that).
    package static func open(
        layout: SessionLayout, environment: RuntimeEnvironment
    ) throws(TransferFailure) -> SessionRuntime {
        try open(SessionDirectory(layout), environment: environment)
    }

    /// The same for a directory whose lock this process has.
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
        desk = ReconcileDesk(layout: loop.state.directory.layout, mailbox: mailbox, now: loop.state.environment.now)
        state = Mutex(State(activity: loop.state.activity))
        thread = LoopThread()
        try thread.start(loop, opening) { [self] activity in
            state.withLock { $0.activity = activity }
        }
    }

    /// Asks the session; the reply comes on the loop's thread, after the commit where there is one.
    package func send(_ command: SessionCommand, reply: @escaping @Sendable (SessionReply) -> Void) {
        if command == .reconcile { return reconcile(reply: reply) }
        guard !mailbox.put([.command(command, reply: reply)]) else { return }
        reply(.failed(TransferFailure(.serviceUnavailable, "The session is being closed. Try again in a moment.")))
    }

    /// Compares records, live transfers and files, and repairs what can be repaired without a person. It reads every
    /// record and looks at every file, on a thread of its own; the session goes on meanwhile.
    package func reconcile(reply: @escaping @Sendable (SessionReply) -> Void) {
        desk.begin(reply)
    }

    /// Watches transfers: the observer is called on the loop's thread, first with the present state.
    package func watch(
        _ selection: TransferSelection, _ detail: WatchDetail = WatchDetail(),
        observer: @escaping @Sendable (WatchUpdate) -> Void
    ) -> WatchToken {
        let token = makeToken()
        mailbox.put([.watch(token, selection, detail, observer: observer)])
        return token
    }

    /// The same for a watcher that asks for its updates, in portions and when it has room for them: `signal` is called on the
    /// loop's thread when there is something to ask for.
    package func watch(
        _ selection: TransferSelection, _ detail: WatchDetail,
        signal: @escaping @Sendable (WatchSignal) -> Void
    ) -> WatchToken {
        let token = makeToken()
        let pull: WatchPull = { [mailbox] reply in
            // A session that is closed has nothing to tell.
            if !mailbox.put([.pull(token, reply: reply)]) { reply(nil) }
        }
        mailbox.put([.watchByPulls(token, selection, detail) { signal($0 ? .lost : .news(pull)) }])
        return token
    }

    /// Says that the app is here, until `unwatch`: it is not started then. The observer is called on the loop's thread with
    /// the number of the newest event, at once and whenever it changes.
    package func attach(observer: @escaping @Sendable (Int64) -> Void) -> WatchToken {
        let token = makeToken()
        mailbox.put([.attach(token, observer: observer)])
        return token
    }

    /// Says that the app has handlers for background tasks here, until `unwatch`. The observer is called on the loop's thread
    /// with the runs that are its own, at once and whenever they change.
    package func runTasks(
        _ runner: TaskRunner, observer: @escaping @Sendable (TaskAssignments) -> Void
    ) -> WatchToken {
        let token = makeToken()
        mailbox.put([.addRunner(token, runner, observer: observer)])
        return token
    }

    /// Ends a watch, an attendance, or the running of tasks.
    package func unwatch(_ token: WatchToken) {
        mailbox.put([.unwatch(token)])
    }

    /// Asks an app for the session's credentials from now on.
    package func addProvider(_ source: any CredentialSource) -> ProviderToken {
        let token = state.withLock { state in
            defer { state.nextProvider += 1 }
            return ProviderToken(number: state.nextProvider)
        }
        mailbox.put([.provider(token, source)])
        return token
    }

    /// Asks that app no more. What it was asked it should answer before.
    package func removeProvider(_ token: ProviderToken) {
        mailbox.put([.provider(token, nil)])
    }

    /// A network is there again: what waits for one goes on.
    package func noteNetworkReturned() {
        mailbox.put([.networkReturned])
    }

    /// Links, addresses, or routes have changed: connections that have lost theirs are ended.
    package func noteNetworkChanged() {
        mailbox.put([.networkChanged])
    }

    /// The conditions or the person's limits have changed.
    package func note(_ surroundings: Surroundings) {
        mailbox.put([.surroundings(surroundings)])
    }

    /// Calls back, on the loop's thread, when what was noted before is on disk and nothing is being stopped any more.
    package func whenSettled(_ reply: @escaping @Sendable () -> Void) {
        if !mailbox.put([.whenSettled(reply: reply)]) { reply() }
    }

    /// Frees what is only kept to be quick, and calls back.
    package func releaseMemory(_ reply: @escaping @Sendable () -> Void) {
        if !mailbox.put([.releaseMemory(reply: reply)]) { reply() }
    }

    /// The clock was set, or another time zone counts.
    package func noteClockChanged() {
        mailbox.put([.clockChanged])
    }

    /// What the session has to do, as of the loop's last turn.
    package var activity: SessionActivity { state.withLock { $0.activity } }

    /// Asks what to do with what is under way, now that the app is about to leave. The reply comes on the loop's thread; a session that
    /// is closed has nothing under way.
    package func planHandoff(
        grace: Duration, hasService: Bool, reply: @escaping @Sendable (HandoffPolicy.Plan) -> Void
    ) {
        let input = LoopInput.planHandoff(grace: grace, hasService: hasService, reply: reply)
        if !mailbox.put([input]) { reply(HandoffPolicy.Plan(fates: [:], departure: .now)) }
    }

    /// Holds back what waits for its turn, or lets it go on: an app that is about to leave begins nothing that would have to
    /// be moved in a moment.
    package func holdTurns(_ isHeld: Bool) {
        mailbox.put([.granting(isHeld ? .held : .usual)])
    }

    /// Begins at once what waits: the system that carries exchanges goes on with all of them when this process is not there any more, and
    /// never with the next one alone. So many run then in all, the oldest and highest first, whatever the session's limits are.
    /// `holdTurns(false)` ends this.
    package func grantInOneBatch(upTo count: Int) {
        mailbox.put([.granting(.inOneBatch(count))])
    }

    /// Asks the session to end for another owner. The reply comes on the loop's thread: why not, or `nil` when the loop is about to
    /// end; `stop()` then returns when the lock is free.
    package func release(_ mode: ReleaseMode, reply: @escaping @Sendable (TransferFailure?) -> Void) {
        if !mailbox.put([.release(mode, reply: reply)]) { reply(nil) }
    }

    /// Lets these be carried by other means; the engine was told which before. What has been moved so far and cannot be gone on
    /// from is moved again; a body that is out stays where it is.
    package func relocate(_ ids: [TransferID]) {
        mailbox.put([.relocate(ids)])
    }

    private func makeToken() -> WatchToken {
        state.withLock { state in
            defer { state.nextWatch += 1 }
            return WatchToken(number: state.nextWatch)
        }
    }

    /// Stops at safe bytes, closes the store and gives the lock back. Returns when all of that is done.
    package func stop() {
        mailbox.put([.stop])
        thread.join()
        desk.stop()
    }
}

/// What a session has to do.
package struct SessionActivity: Equatable, Sendable {
    package var totals: SessionTotals
    /// Whether anything may still happen by itself.
    package var hasLiveWork: Bool

    package init(totals: SessionTotals, hasLiveWork: Bool) {
        self.totals = totals
        self.hasLiveWork = hasLiveWork
    }
}
