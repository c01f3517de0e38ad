import Glibc
import Synchronization

/// The source of lifecycle events for an app with windows.
///
/// - A window is shown: `didBecomeActive`.
/// - The last window is closed: `didEnterBackground`. The process exits after the handler, unless a window is shown again.
/// - The computer is about to sleep: `didEnterBackground`. The computer waits for the handler, as long as logind allows.
/// - The user logs out, or the process receives SIGTERM, SIGHUP, or SIGINT, calls `quit()`, or ends: `willTerminate`. The
///   process exits after the handler.
///
/// ```swift
/// let source = GtkLifecycle(application)
/// Task { await lifecycle.run(source) }
/// ```
///
/// Handlers get at most the lifecycle's grace period. Create the source before the application runs. Use it instead of
/// `ProcessLifecycle.run()`.
@MainActor
public final class GtkLifecycle: ProcessLifecycle.Source {
    private let application: Application
    private var lifecycle: ProcessLifecycle?
    private var state = ProcessLifecycle.State.inactive
    private var isAsleep = false
    private var sleepWatch: SleepWatch?
    /// The number of state changes. It identifies the change whose handler has ended.
    private var changes = 0
    private var holds: Set<Int> = []

    /// Starts to watch the application.
    public init(_ application: Application) {
        self.application = application
        // The session manager reports a logout only to registered applications.
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

    /// Reports the state to the lifecycle, until the task is cancelled.
    public nonisolated func run(_ lifecycle: ProcessLifecycle) async {
        await begin(lifecycle)
        // The stream has no elements. It ends when the task is cancelled.
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
        // An app that was started for an event without a window was never active, so it does not enter the background.
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
            // Only the end of the process interrupts the sleep.
            try? await Task.sleep(until: deadline)
            settled(number)
        }
    }

    /// Releases the application after a handler has ended or its time is over. Does nothing if the state has changed since.
    private func settled(_ number: Int) {
        guard holds.contains(number) else { return }
        release(number)
        if isAsleep { sleepWatch?.letSleep() }
    }

    private func release(_ number: Int) {
        holds.remove(number)
        g_application_release(application.raw.cast())
    }

    /// Waits for the handlers of the termination. GTK's loop has ended, and the process exits when this method returns.
    private func end() {
        // Tasks that the last click started delay the exit only after they have registered with the lifecycle.
        MainLoop.runWhatIsDue()
        // If the app ends right after its start, the task that runs its lifecycle may not have started.
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
