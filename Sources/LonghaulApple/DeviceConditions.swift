import Foundation
import LonghaulCore
import Network
import Synchronization

/// The device's network and power state, as Longhaul's conditions.
final class DeviceConditions: Sendable {
    typealias Listener = @Sendable (_ before: Conditions, _ now: Conditions) -> Void

    private struct State {
        var present = Conditions()
        var hasLooked = false
        var isStarted = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var listener: Listener?
    }

    /// `@unchecked Sendable`: the monitor is started once and cancelled once, and delivers its paths on its own queue.
    private struct Monitor: @unchecked Sendable {
        let paths = NWPathMonitor()
    }

    private let state = Mutex(State())
    private let monitor = Monitor()
    private let power = DevicePower()

    var present: Conditions { state.withLock(\.present) }

    deinit { monitor.paths.cancel() }

    /// Sets the listener for changes.
    func follow(_ listener: Listener?) { state.withLock { $0.listener = listener } }

    /// Returns when the network and the power are known, for the first time or again.
    func firstLook() async {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        if isFirst {
            monitor.paths.pathUpdateHandler = { [weak self] path in self?.update { $0.apply(path) } }
            monitor.paths.start(queue: DispatchQueue(label: "longhaul.path"))
            await power.start { [weak self] change in self?.update(change) }
        }
        await withCheckedContinuation { continuation in
            let isKnown = state.withLock { state in
                if !state.hasLooked { state.waiting.append(continuation) }
                return state.hasLooked
            }
            if isKnown { continuation.resume() }
        }
    }

    private func update(_ change: (inout Conditions) -> Void) {
        let (listener, before, now, waiting) = state.withLock { state in
            let before = state.present
            change(&state.present)
            // Much of the power state may stay unknown; the network path is reported at once.
            state.hasLooked = state.hasLooked || state.present.network != .unknown
            defer { if state.hasLooked { state.waiting = [] } }
            return (state.listener, before, state.present, state.hasLooked ? state.waiting : [])
        }
        for continuation in waiting { continuation.resume() }
        if before != now { listener?(before, now) }
    }
}

extension Conditions {
    /// Applies a network path. The system does not report roaming.
    mutating func apply(_ path: NWPath) {
        network = path.status == .unsatisfied ? .none : .reachable
        isExpensive = path.isExpensive
        isConstrained = path.isConstrained
        link =
            if path.usesInterfaceType(.wiredEthernet) {
                .wired
            } else if path.usesInterfaceType(.wifi) {
                .wifi
            } else if path.usesInterfaceType(.cellular) {
                .mobile
            } else {
                path.status == .unsatisfied ? .unknown : .other
            }
    }
}
