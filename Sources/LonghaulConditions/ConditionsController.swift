package import LonghaulCore
package import LonghaulRuntime
import LonghaulSystem
import Synchronization

/// The surroundings of a process that runs sessions: the measured conditions, and the user's overrides and limits for
/// all sessions, which are in a file that every such process reads.
package final class ConditionsController: Sendable {
    /// The callbacks of the sessions' owner. Called on the monitor's thread, and on the thread that calls `set`.
    package struct Handlers: Sendable {
        package var changed: @Sendable (Surroundings) -> Void
        package var networkReturned: @Sendable () -> Void
        /// Links, addresses, or routes have changed, and have been stable for a moment.
        package var networkChanged: @Sendable () -> Void
        /// The clock was set, or the time zone changed.
        package var clockChanged: @Sendable () -> Void
        /// Brings all sessions to a synced offset and calls back.
        package var prepareForSleep: @Sendable (@escaping @Sendable () -> Void) -> Void

        package init(
            changed: @escaping @Sendable (Surroundings) -> Void, networkReturned: @escaping @Sendable () -> Void,
            networkChanged: @escaping @Sendable () -> Void, clockChanged: @escaping @Sendable () -> Void,
            prepareForSleep: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
        ) {
            self.changed = changed
            self.networkReturned = networkReturned
            self.networkChanged = networkChanged
            self.clockChanged = clockChanged
            self.prepareForSleep = prepareForSleep
        }
    }

    private struct State {
        var measured = Conditions()
        var settings = UserSettings()
        /// The report of damaged settings that could not be repaired.
        var unrepaired: TransferFailure?
        var changed: (@Sendable (Surroundings) -> Void)?
    }

    /// The usage of the common data budget by all sessions.
    package let ledger: BudgetLedger
    private let stateDirectory: String
    private let file: SettingsFile
    private let state: Mutex<State>
    /// Held during notifications, so that the listeners get the latest values last, whichever thread notifies them.
    private let telling = Mutex(())
    /// Serializes changes of the settings, while the file is written.
    private let writing = Mutex(())
    private let monitor = ConditionsMonitor()
    private let watchesSettings: Bool

    /// `watchesSettings` is for processes other than the service, which alone changes and repairs the settings: kernels have few such
    /// watches.
    package init(stateDirectory: String, watchesSettings: Bool) {
        self.watchesSettings = watchesSettings
        self.stateDirectory = stateDirectory
        file = SettingsFile(in: stateDirectory)
        ledger = BudgetLedger(path: stateDirectory + "/budget")
        var state = State()
        (state.settings, state.unrepaired) = file.open(repairs: !watchesSettings, at: SystemClock.wallTime())
        self.state = Mutex(state)
    }

    /// Starts watching. When it returns, `surroundings` has every value that was available within two seconds.
    package func start(
        _ handlers: Handlers,
        sources: @escaping @Sendable () -> [any ConditionsSource] = { [RouteSource(), BusSource()] }
    ) {
        state.withLock { $0.changed = handlers.changed }
        var others: [Descriptor] = []
        var reactions: [@Sendable () -> Void] = []
        // Without a directory or an available watch, changes by other processes take effect at the next start.
        if watchesSettings,
            let watch = try? DirectoryWatch(stateDirectory, for: [.appears, .written, .vanishes])
        {
            others.append(watch.descriptor)
            reactions.append { [self] in if watch.readEvents(SettingsFile.name), reread() { notify() } }
        }
        let clock = ClockWatch()
        for descriptor in clock.descriptors {
            others.append(descriptor)
            reactions.append { if clock.hasChanged() { handlers.clockChanged() } }
        }
        monitor.start(
            sources, others: others,
            .init(
                changed: { [self] conditions in
                    state.withLock { $0.measured = conditions }
                    notify()
                }, networkReturned: handlers.networkReturned, networkChanged: handlers.networkChanged,
                prepareForSleep: handlers.prepareForSleep, others: reactions))
    }

    /// Stops watching. Must be called once.
    package func stop() {
        monitor.stop()
    }

    /// Returns the surroundings of a session, without its share of the common rate.
    package func surroundings() -> Surroundings {
        state.withLock { state in
            var surroundings = Surroundings()
            let settings = state.settings
            surroundings.conditions = settings.inForce(state.measured).overridden(by: settings.override)
            surroundings.traffic = settings.trafficInForce
            return surroundings
        }
    }

    package func report() -> ConditionsReport {
        state.withLock { ConditionsReport(measured: $0.settings.inForce($0.measured), override: $0.settings.override) }
    }

    package func trafficReport() -> UserTrafficReport {
        let limits = state.withLock(\.settings.traffic)
        return UserTrafficReport(
            limits: limits, usage: ledger.usage(of: limits.budget, at: SystemClock.wallTime(), in: SystemClock.zone))
    }

    /// Why the settings or the count of used data are lost or restored, until the user acknowledges it.
    package var damage: TransferFailure? { settingsDamage ?? ledger.damage }

    private var settingsDamage: TransferFailure? {
        file.damage
            ?? state.withLock { state in
                state.unrepaired ?? (state.settings.isLost ? TransferFailure(.storeDamaged, SettingsFile.lost) : nil)
            }
    }

    /// Acknowledges the damage, which ends the caution that followed it.
    package func acknowledgeDamage() throws(TransferFailure) {
        if settingsDamage != nil {
            // First: after a crash in between, the damage is still reported.
            try change { $0.isLost = false }
            try file.acknowledge()
        }
        try ledger.acknowledgeDamage(at: SystemClock.wallTime())
    }

    /// Changes the settings, which are on the disk when it returns.
    package func change(_ body: (inout UserSettings) -> Void) throws(TransferFailure) {
        let result = writing.withLock { _ -> Result<Void, TransferFailure> in
            do throws(TransferFailure) {
                var settings = state.withLock(\.settings)
                body(&settings)
                if let refusal = settings.traffic.refusal { throw refusal }
                try file.write(settings)
                state.withLock { ($0.settings, $0.unrepaired) = (settings, nil) }
                notify()
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func notify() {
        telling.withLock { _ in
            let changed = state.withLock(\.changed)
            changed?(surroundings())
        }
    }

    /// Reads the settings again. Returns whether another process has changed them.
    private func reread() -> Bool {
        writing.withLock { _ in
            guard let settings = file.read() else { return false }
            return state.withLock { state in
                defer { state.settings = settings }
                return state.settings != settings
            }
        }
    }
}
