import Synchronization

/// What the system ends an app for, and what it keeps from it.
extension SimulatedDevice {
    /// 400 tasks took 3.7 seconds.
    static let timeToMakeOne: TimeInterval = 0.009

    /// What the system has ended the app for.
    public var faults: [String] { state.withLock(\.faults) }
    /// How long the app was held up by making tasks.
    public var timeSpentMaking: TimeInterval { state.withLock(\.timeSpentMaking) }

    /// Which files of containers that others share the app's process has locked.
    public func whenAskedForLocks(_ answer: @escaping @Sendable () -> [String]) {
        state.withLock { $0.sharedLocks = answer }
    }

    /// A person locks the device, or unlocks it. Some files are closed meanwhile.
    public func lock(_ isLocked: Bool, closing files: [String] = []) {
        state.withLock { state in
            state.isLocked = isLocked
            state.closedFiles.formUnion(files)
        }
    }

    /// Half a minute after a launch: an app that has not called its completion handler is ended.
    public func runOutOfPatience() {
        guard state.withLock({ $0.isAwake && $0.openHandlers > 0 }) else { return }
        end(because: "a completion handler was not called in time")
    }

    /// One that stands still with a lock that others wait for is ended (0xdead10cc).
    func endWhoHoldsLocks() {
        let locks = state.withLock(\.sharedLocks)()
        if !locks.isEmpty { end(because: "it stood still with locks: \(locks.joined(separator: ", "))") }
    }

    private func end(because fault: String) {
        state.withLock { state in
            state.faults.append(fault)
            state.diary.append("the system ends the app: \(fault)")
        }
        enter(.dead)
    }
}
