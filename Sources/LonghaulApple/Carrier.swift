import Foundation
import LonghaulCore
package import LonghaulRuntime
package import LonghaulURLSession
import Synchronization

/// The part of a session that transfers bytes in this process: its engine and its loop while it is open, the foreground or background
/// choice, and the conditions of the device.
package final class Carrier: Sendable {
    private struct State {
        var engine: SystemEngine?
        var runtime: SessionRuntime?
        var activity: TransferActivity?
        var unlocking: NotificationToken?
        /// A background app may be suspended at any time, so it starts exchanges in the background session.
        var isBehind = true
    }

    private let state = Mutex(State())
    private let conditions = DeviceConditions()

    /// The open session's engine.
    package var engine: SystemEngine? { state.withLock(\.engine) }
    /// The open session's loop.
    package var runtime: SessionRuntime? { state.withLock(\.runtime) }
    /// Whether new exchanges start in the background session.
    package var isBehind: Bool { state.withLock(\.isBehind) }

    /// The conditions of the device.
    var surroundings: Surroundings {
        var surroundings = Surroundings()
        surroundings.conditions = conditions.present
        return surroundings
    }

    /// Returns after the first reading of the device's conditions, which may forbid transfers.
    func lookAround() async { await conditions.firstLook() }

    func attach(_ engine: SystemEngine) {
        let isBehind = state.withLock { state in
            state.engine = engine
            return state.isBehind
        }
        engine.setLane(isBehind ? .back : .front)
    }

    func attach(_ runtime: SessionRuntime) {
        let activity = TransferActivity(runtime)
        let unlocking = NotificationToken.whenUnlocked { [weak runtime] in runtime?.reportUnlock() }
        state.withLock { ($0.runtime, $0.activity, $0.unlocking) = (runtime, activity, unlocking) }
        conditions.follow { [weak self] before, now in
            guard let self, let runtime = self.runtime else { return }
            runtime.update(surroundings)
            if before.network == .none, now.network != .none { runtime.reportNetworkReturn() }
        }
        runtime.update(surroundings)
        // The device may have been unlocked while no process was running; if not, transfers wait again.
        runtime.reportUnlock()
    }

    func release() {
        conditions.follow(nil)
        let (activity, unlocking) = state.withLock { state in
            defer { (state.engine, state.runtime, state.activity, state.unlocking) = (nil, nil, nil, nil) }
            return (state.activity, state.unlocking)
        }
        activity?.end()
        unlocking?.end()
    }

    func setBehind(_ isBehind: Bool) {
        let engine = state.withLock { state in
            state.isBehind = isBehind
            return state.engine
        }
        engine?.setLane(isBehind ? .back : .front)
    }

    /// Returns where a transfer's exchange runs.
    func place(of transfer: TransferID) -> CarrierLanes.Place? {
        engine?.lane(of: transfer).map { $0 == .front ? .here : .there }
    }

    /// Returns when the loop has committed all events that the system stored for one of its sessions while no process was running, or
    /// when the task is cancelled.
    func hearEverything(of identifier: String) async {
        guard let engine, let runtime else { return }
        await BoundedWait.callback { call in engine.whenAllIsTold(of: identifier, call) }
        await BoundedWait.callback { call in runtime.send(.info) { _ in call() } }
    }
}
