package import LonghaulCore
package import LonghaulSystem
import Synchronization

/// Watches the sources on a separate thread, which sleeps until a source has an event.
package final class ConditionsMonitor: Sendable {
    /// The callbacks of the monitor. All are called on the monitor's thread and must be quick.
    package struct Handlers: Sendable {
        /// The conditions have changed and settled. A coming sleep is reported at once.
        package var changed: @Sendable (Conditions) -> Void
        /// There is a new route to some network.
        package var networkReturned: @Sendable () -> Void
        /// Links, addresses, or routes have changed, and have been stable for a moment.
        package var networkChanged: @Sendable () -> Void
        /// The machine is about to sleep: it waits for a moment, until the argument is called.
        package var prepareForSleep: @Sendable (@escaping @Sendable () -> Void) -> Void
        /// One of the other descriptors is readable.
        package var others: [@Sendable () -> Void]

        package init(
            changed: @escaping @Sendable (Conditions) -> Void, networkReturned: @escaping @Sendable () -> Void,
            networkChanged: @escaping @Sendable () -> Void = {},
            prepareForSleep: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
            others: [@Sendable () -> Void] = []
        ) {
            self.changed = changed
            self.networkReturned = networkReturned
            self.networkChanged = networkChanged
            self.prepareForSleep = prepareForSleep
            self.others = others
        }
    }

    private enum Note {
        case stop
        /// The sleep with this number need not be delayed any longer.
        case letSleep(Int)
    }

    private let signal = try? WakeSignal()
    private let notes = Mutex<[Note]>([])
    private let thread = Mutex<NativeThread?>(nil)

    package init() {}

    /// Starts watching. Returns when the first conditions are known, or after `patience` if a service is slow to
    /// answer. `sources` is called on the monitor's thread; `others` are watched as well, each for its handler.
    package func start(
        _ sources: @escaping @Sendable () -> [any ConditionsSource], others: [Descriptor] = [],
        patience: Duration = .seconds(2), _ handlers: Handlers
    ) {
        // Without a descriptor or a thread, conditions stay unknown, which does not prevent transfers.
        guard let signal, let first = try? WakeSignal() else { return }
        let started = try? NativeThread.started { [self] in
            var watch = Watch(sources: sources(), others: others, handlers: handlers, signal: signal)
            watch.begin { [self] number in post(.letSleep(number)) }
            first.raise()
            while true {
                let taken = notes.withLock { notes in
                    defer { notes = [] }
                    return notes
                }
                if taken.contains(where: { if case .stop = $0 { true } else { false } }) { return }
                for case .letSleep(let number) in taken { watch.letSleep(number) }
                watch.turn { [self] number in post(.letSleep(number)) }
            }
        }
        guard let started else { return }
        thread.withLock { $0 = started }
        PollSet.wait(
            [(first.descriptor.number, .readable)], milliseconds: Int32(clamping: patience.microseconds / 1_000))
    }

    /// Stops watching; no handler is called after it returns. Must be called once.
    package func stop() {
        post(.stop)
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.join()
    }

    private func post(_ note: Note) {
        notes.withLock { $0.append(note) }
        signal?.raise()
    }
}

/// The state of the monitor's thread.
private struct Watch {
    private let sources: [any ConditionsSource]
    private let others: [Descriptor]
    private let handlers: ConditionsMonitor.Handlers
    private let signal: WakeSignal
    private var readings = Readings()
    private var settled = Debounce(Conditions())
    private var isAboutToSleep = false
    /// How often the machine was about to sleep.
    private var sleeps = 0

    init(
        sources: [any ConditionsSource], others: [Descriptor], handlers: ConditionsMonitor.Handlers, signal: WakeSignal
    ) {
        self.sources = sources
        self.others = others
        self.handlers = handlers
        self.signal = signal
    }

    /// Reports the first readings at once: nothing can flap yet.
    mutating func begin(_ letSleep: @escaping @Sendable (Int) -> Void) {
        _ = readSources()
        let conditions = ConditionsEvaluator.evaluate(readings)
        settled.report(conditions)
        handlers.changed(conditions)
        recordSleep(letSleep)
    }

    /// Waits for an event, and handles it.
    mutating func turn(_ letSleep: @escaping @Sendable (Int) -> Void) {
        let readable = wait()
        signal.clear()
        for (index, isReadable) in readable.enumerated() where isReadable { handlers.others[index]() }
        let news = readSources()
        if news.hasNewRoute { handlers.networkReturned() }
        if news.hasChangedRoutes { handlers.networkChanged() }
        let conditions = ConditionsEvaluator.evaluate(readings, earlier: settled.told)
        if conditions.isAboutToSleep != settled.told.isAboutToSleep {
            // There is no time to wait for further changes.
            settled.report(conditions)
            handlers.changed(conditions)
            return recordSleep(letSleep)
        }
        settled.update(conditions, at: .now)
        if settled.isDue(at: .now) { handlers.changed(settled.told) }
    }

    /// Stops delaying a sleep. A call after the machine has woken up is too late: the next sleep is already being delayed.
    func letSleep(_ number: Int) {
        guard isAboutToSleep, number == sleeps else { return }
        for source in sources { source.letSleep() }
    }

    private mutating func readSources() -> SourceChanges {
        var news = SourceChanges()
        for source in sources {
            let told = source.read(into: &readings)
            if told.hasNewRoute { news.hasNewRoute = true }
            if told.hasChangedRoutes { news.hasChangedRoutes = true }
        }
        return news
    }

    private mutating func recordSleep(_ letSleep: @escaping @Sendable (Int) -> Void) {
        let wasAboutToSleep = isAboutToSleep
        isAboutToSleep = readings.isAboutToSleep
        guard isAboutToSleep, !wasAboutToSleep else { return }
        sleeps += 1
        handlers.prepareForSleep { [sleeps] in letSleep(sleeps) }
    }

    /// Waits. Returns which of the other descriptors are readable.
    private func wait() -> [Bool] {
        let fixed = [signal.descriptor.number] + others.map(\.number)
        let waits =
            fixed.map { ($0, Readiness.readable) } + sources.compactMap(\.wait).map { ($0.descriptor, $0.readiness) }
        let date = (sources.map(\.date) + [settled.date]).compactMap { $0 }.min()
        let milliseconds = date.map { PollSet.milliseconds(ContinuousClock.now.duration(to: $0)) }
        // An interrupted wait has no result; the next turn waits again.
        return PollSet.wait(waits, milliseconds: milliseconds ?? -1)[1..<fixed.count].map { !$0.isEmpty }
    }
}
