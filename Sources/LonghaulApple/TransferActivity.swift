import Foundation
import LonghaulCore
import LonghaulRuntime
import Synchronization

/// An activity of this process while transfers run. Without one, macOS slows down an app that is not visible (App Nap), and may end it
/// without a notice (sudden termination). The Mac may still sleep when it is idle.
final class TransferActivity: Sendable {
    /// `@unchecked Sendable`: the token is only passed back to the system, which accepts it from any thread.
    private struct State: @unchecked Sendable {
        var running: Set<TransferID> = []
        var token: (any NSObjectProtocol)?
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Follows the transfers of an open session.
    init(_ runtime: SessionRuntime) {
        #if os(macOS) || os(Linux)
            _ = runtime.watch(.all, WatchDetail(isBrief: true, omitsEnded: true)) { [weak self] in self?.apply($0) }
        #endif
    }

    /// Ends the activity: the session is being closed.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            state.running = []
            Self.adjust(&state)
        }
    }

    private func apply(_ update: WatchUpdate) {
        state.withLock { state in
            if update.beginsList { state.running = [] }
            for transfer in update.changed {
                switch transfer.state {
                case .running, .awaitingResponse: state.running.insert(transfer.id)
                case .waiting, .paused, .succeeded, .failed, .cancelled: state.running.remove(transfer.id)
                }
            }
            state.running.subtract(update.removed + update.succeeded.map(\.id))
            if !state.hasEnded { Self.adjust(&state) }
        }
    }

    /// Begins or ends the activity.
    private static func adjust(_ state: inout State) {
        #if os(macOS) || os(Linux)
            switch (state.running.isEmpty, state.token) {
            case (false, nil):
                state.token = ProcessInfo.processInfo.beginActivity(
                    options: .userInitiatedAllowingIdleSystemSleep, reason: "Transferring files")
            case (true, let token?):
                ProcessInfo.processInfo.endActivity(token)
                state.token = nil
            case (false, _?), (true, nil): break
            }
        #endif
    }
}
