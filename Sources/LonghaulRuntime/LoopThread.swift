import LonghaulCore
import LonghaulSystem
import Synchronization

/// The thread of one loop. Commits wait for the disk, so it must not be one of Swift's shared threads.
final class LoopThread: Sendable {
    private let handle = Mutex<NativeThread?>(nil)

    /// State handed to the thread; nothing else accesses the loop afterwards.
    private final class Context {
        /// `nil` once the session was closed because it has nothing to do.
        private var current: SessionLoop?
        var loop: SessionLoop {
            get {
                guard let current else { preconditionFailure("the session is at rest") }
                return current
            }
            set { current = newValue }
        }
        let opening: SessionOpening
        var mailbox: Mailbox { opening.mailbox }
        let report: (SessionActivity) -> Void

        init(_ loop: SessionLoop, _ opening: SessionOpening, _ report: @escaping (SessionActivity) -> Void) {
            current = loop
            self.opening = opening
            self.report = report
        }

        func run() {
            let place = TrapPlace(opening.directory.layout.traps)
            defer { place.end() }
            while true {
                var inputs = mailbox.receive(until: loop.nextAlarm().map(loop.state.environment.onSystemClock))
                let isStopping = inputs.contains(where: \.isStop)
                if isStopping {
                    // Queries must not delay the stop.
                    loop.shutDown(mailbox, inputs.filter { !$0.refuseQuery() })
                    report(loop.state.activity)
                    return
                }
                let wishes = inputs.filter(\.isRelease)
                let rests = inputs.filter(\.isRest)
                inputs.removeAll { $0.isRelease || $0.isRest }
                loop.turn(inputs) { mailbox.takeEngineEvents(upTo: $0, waits: $1) }
                mend()
                report(loop.state.activity)
                if rest(rests, unless: !wishes.isEmpty) { return }
                let granted = granted(wishes)
                if !granted.isEmpty {
                    loop.shutDown(mailbox, granted)
                    report(loop.state.activity)
                    return
                }
            }
        }

        /// Closes the session if that was requested and nothing is left to do, and describes it while its lock is still held. Returns
        /// whether the thread must end.
        private func rest(_ requests: [LoopInput], unless hasOtherEnd: Bool) -> Bool {
            guard !requests.isEmpty else { return false }
            let rests = !hasOtherEnd && loop.state.activity.isIdle && loop.health.trouble == nil
            if rests { loop.shutDown(mailbox, []) }
            for case .rest(let reply) in requests { reply(rests) }
            guard rests else { return false }
            var activity = loop.state.activity
            let (directory, due) = (loop.state.directory, loop.state.restsUntil)
            // Closes the store.
            current = nil
            if activity.isIdle {
                activity.rest = SessionRest(closed: directory.layout, activity.totals, due: due)
                activity.rest?.write(to: directory.layout)
            }
            report(activity)
            return true
        }

        /// Replaces a loop that has given up.
        private func mend() {
            guard let trouble = loop.health.trouble, loop.health.isToBeReplaced(at: loop.state.now) else { return }
            do throws(TransferFailure) {
                loop = try opening.replace(loop, because: trouble)
            } catch {
                loop.wait(because: error)
            }
        }

        /// Returns the release requests that are granted; the others receive a refusal.
        private func granted(_ wishes: [LoopInput]) -> [LoopInput] {
            wishes.filter { wish in
                guard case .release(.whenHarmless, let reply) = wish, let refusal = loop.state.turns.refusalToStop
                else {
                    return true
                }
                reply(refusal)
                return false
            }
        }
    }

    /// Fails if the system cannot create a thread; the loop is shut down then.
    func start(
        _ loop: SessionLoop, _ opening: SessionOpening, report: @escaping @Sendable (SessionActivity) -> Void
    ) throws(TransferFailure) {
        // Safe: only the thread accesses it from here on.
        nonisolated(unsafe) let cargo = Context(loop, opening, report)
        do throws(TransferFailure) {
            let thread = try NativeThread.required { cargo.run() }
            handle.withLock { $0 = thread }
        } catch {
            loop.shutDown(opening.mailbox, [])
            throw error
        }
    }

    /// Waits until the thread ends; a second call returns at once.
    func join() {
        let thread = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        thread?.join()
    }
}
