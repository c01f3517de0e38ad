import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// Tasks of the server's thread between clients' requests. It feeds the watchdog, so that a hung thread is noticed, releases memory
/// after work, closes idle sessions, and exits when idle or replaced by a new program.
struct Housekeeping {
    private let host: SessionHost
    private let notifier: ServiceNotifier
    private let exchange: ProgramExchange
    private var idle: IdleWatch
    private var memory = IdleMemory()
    private var feedsAt: SuspendingClock.Instant?
    private var shownClients = 0

    init(options: ServiceOptions, host: SessionHost, notifier: ServiceNotifier, exchange: ProgramExchange) {
        self.host = host
        self.notifier = notifier
        self.exchange = exchange
        idle = IdleWatch(seconds: options.idleExitSeconds)
    }

    /// Performs due tasks, and returns when the next one is due.
    mutating func turn(
        clients: Int, now: SuspendingClock.Instant, leave: () -> Void
    ) -> SuspendingClock.Instant? {
        show(clients)
        let next = [
            feedWatchdog(now), releaseMemory(now), exchangeProgram(now, leave), findWork(clients, now, leave),
            host.closeIdle(now),
        ]
        return next.compactMap { $0 }.min()
    }

    private mutating func feedWatchdog(_ now: SuspendingClock.Instant) -> SuspendingClock.Instant? {
        guard let interval = notifier.watchdogInterval else { return nil }
        if let feedsAt, now < feedsAt { return feedsAt }
        notifier.notify("WATCHDOG=1")
        feedsAt = now + interval
        return feedsAt
    }

    private mutating func releaseMemory(_ now: SuspendingClock.Instant) -> SuspendingClock.Instant? {
        let (releases, again) = memory.check(
            used: { SystemClock.processorTime() }, hasWork: { [host] in host.hasWork }, now: now)
        if releases { host.releaseMemory { ThisProcess.releaseMemory() } }
        return again
    }

    private func exchangeProgram(_ now: SuspendingClock.Instant, _ leave: () -> Void) -> SuspendingClock.Instant? {
        guard !exchange.hasBegun else { return nil }
        let next = exchange.turn(isMoving: { host.isMoving }, now: now)
        if exchange.hasBegun {
            ServiceLog.notice("the program was replaced; the new one takes over")
            leave()
        }
        return next
    }

    private mutating func findWork(
        _ clients: Int, _ now: SuspendingClock.Instant, _ leave: () -> Void
    ) -> SuspendingClock.Instant? {
        switch idle.check(clients: clients, hasWork: { [host] in host.hasWork }, now: now) {
        case .stay: return nil
        case .checkAgain(let moment): return moment
        case .exit:
            ServiceLog.notice("nothing to do")
            leave()
            return nil
        }
    }

    private mutating func show(_ clients: Int) {
        guard clients != shownClients else { return }
        shownClients = clients
        notifier.notify("STATUS=Serving \(clients) " + (clients == 1 ? "program" : "programs"))
    }
}
