import Glibc
import Synchronization

/// The life of an app with windows, as Longhaul tells it.
///
/// | what happens | what is told |
/// |---|---|
/// | a window is shown | `didBecomeActive` |
/// | the last window is closed | `didEnterBackground`; the process ends when that was handled, unless a window is shown again |
/// | the machine is about to sleep | `didEnterBackground`; it waits until that was handled, as long as logind lets it |
/// | logout, SIGTERM, SIGHUP, SIGINT, `quit()`, the process's own end | `willTerminate`; it ends when that was handled |
///
/// ```swift
/// let source = GtkLifecycle(application)
/// Task { await lifecycle.run(source) }
/// ```
///
/// No time is longer than the lifecycle's grace period. Make it before the application runs. It is used instead of
/// `ProcessLifecycle.run()`.
@MainActor
public final class GtkLifecycle: ProcessLifecycle.Source {
    private let application: Application
    private var lifecycle: ProcessLifecycle?
    private var state = ProcessLifecycle.State.inactive
    private var isAsleep = false
    private var sleepWatch: SleepWatch?
    /// Counts the changes, so that the end of an earlier stay is told from that of a later one.
    private var changes = 0
    private var holds: Set<Int> = []

    /// Begins to watch the application.
    public init(_ application: Application) {
        self.application = application
        // Only so the session's manager tells of a logout.
        desktop_set_bool(application.raw, "register-session", 1)
        on(application.raw, "window-added") { [unowned self] in look() }
        on(application.raw, "window-removed") { [unowned self] in look() }
        on(application.raw, "shutdown") { [unowned self] in end() }
        for signal in [SIGTERM, SIGHUP, SIGINT] {
            g_unix_signal_add(
                signal,
                { data in
                    g_application_quit(data?.assumingMemoryBound(to: GApplication.self))
                    return 1
                }, application.raw.address)
        }
        on(application.raw, "startup") { [unowned self] in
            sleepWatch = SleepWatch(application: application.id) { [unowned self] in
                isAsleep = $0
                look()
            }
        }
    }

    /// Tells the lifecycle what happens, until the task is cancelled.
    public nonisolated func run(_ lifecycle: ProcessLifecycle) async {
        await begin(lifecycle)
        // Nothing is ever said; the stream ends when the task is cancelled.
        let (silence, continuation) = AsyncStream<Never>.makeStream()
        for await _ in silence {}
        continuation.finish()
        await begin(nil)
    }

    private func begin(_ lifecycle: ProcessLifecycle?) {
        self.lifecycle = lifecycle
        if lifecycle != nil { tell() }
    }

    private func look() {
        let isSeen = gtk_application_get_windows(application.raw.cast()) != nil
        // An app that was started without a window for an event has not left anything.
        let next: ProcessLifecycle.State = isSeen && !isAsleep ? .active : state == .inactive ? .inactive : .background
        guard next != state else { return }
        state = next
        tell()
    }

    private func tell() {
        changes += 1
        for number in holds { release(number) }
        guard let lifecycle else {
            sleepWatch?.letSleep()
            return
        }
        guard state == .background else {
            lifecycle.enter(state)
            return
        }
        let number = changes
        holds.insert(number)
        g_application_hold(application.raw.cast())
        let deadline = lifecycle.enter(.background, within: isAsleep ? sleepWatch?.delay : nil) {
            Task { @MainActor in self.settled(number) }
        }
        Task {
            // Cut short only with the process.
            try? await Task.sleep(until: deadline)
            settled(number)
        }
    }

    /// What was told is handled, or its time is over. It may be over already: the app is back.
    private func settled(_ number: Int) {
        guard holds.contains(number) else { return }
        release(number)
        if isAsleep { sleepWatch?.letSleep() }
    }

    private func release(_ number: Int) {
        holds.remove(number)
        g_application_release(application.raw.cast())
    }

    /// GTK's loop has ended, and the process does as soon as this returns.
    private func end() {
        // What was begun with the last click holds the end back only when it has got that far.
        MainLoop.runWhatIsDue()
        // An app that ends as soon as it has started may be ahead of the task that runs its lifecycle.
        MainLoop.run(until: .now + .seconds(1)) { self.lifecycle != nil }
        guard let lifecycle else { return }
        let isSettled = Flag()
        let deadline = lifecycle.enter(.terminating) {
            isSettled.raise()
            g_main_context_wakeup(nil)
        }
        MainLoop.run(until: deadline) { isSettled.isRaised }
    }
}

private nonisolated final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }

    func raise() {
        value.store(true, ordering: .releasing)
    }
}
