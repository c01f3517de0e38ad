import LonghaulCore
import Synchronization

/// The partial files that this process has created and not removed. In a directory with many names, checking whether a
/// file exists costs a small download about as much as creating its file.
enum KnownPartials {
    private struct State {
        var paths: Set<String> = []
        /// Too many to be counted: any may be there.
        var isFull = false
    }

    private static let limit = 10_000
    private static let state = Mutex(State())

    static func add(_ path: String) {
        state.withLock { state in
            if state.paths.count < limit { state.paths.insert(path) } else { state.isFull = true }
        }
    }

    static func forget(_ path: String) {
        state.withLock { state in
            if !state.paths.isEmpty { state.paths.remove(path) }
        }
    }

    static func mayInclude(_ path: String) -> Bool {
        state.withLock { $0.isFull || !$0.paths.isEmpty && $0.paths.contains(path) }
    }
}
