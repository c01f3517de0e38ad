import LonghaulCore
import LonghaulIPC
import LonghaulRuntime
import Synchronization

/// Facts about all sessions of the host.
extension SessionHost.Entry {
    var isResting: Bool { if case .resting = self { true } else { false } }
}

extension SessionHost.State {
    var isOpening: Bool {
        entries.values.contains { if case .opening = $0 { true } else { false } }
    }

    /// Whether the service keeps running for a session that another process runs.
    var isWaiting: Bool {
        wanted.contains { if case .held = entries[$0] { true } else { false } }
    }

    /// Returns the callers to call once no session is being opened, if that is the case.
    mutating func takeSettled() -> [@Sendable () -> Void] {
        guard !settled.isEmpty, !isOpening else { return [] }
        defer { settled = [] }
        return settled
    }

    var runtimes: [SessionRuntime] {
        entries.values.compactMap { if case .open(let runtime) = $0 { runtime } else { nil } }
    }
}

extension SessionHost {
    /// Returns every session in its current state.
    func summaries() -> [SessionSummary] {
        let entries = state.withLock { $0.entries }
        return entries.sorted { $0.key.description < $1.key.description }.map { id, entry in
            switch entry {
            case .open(let runtime), .releasing(let runtime, _):
                SessionSummary(id: id, trouble: directories.damage(id), totals: runtime.activity.totals)
            case .closed(let failure):
                SessionSummary(id: id, trouble: failure, totals: SessionTotals())
            case .held, .released:
                SessionSummary(id: id, trouble: directories.inUse(id), totals: SessionTotals())
            case .resting(let rest):
                SessionSummary(id: id, trouble: directories.damage(id), totals: rest.totals)
            case .opening:
                SessionSummary(id: id, trouble: directories.damage(id), totals: SessionTotals())
            }
        }
    }
}
