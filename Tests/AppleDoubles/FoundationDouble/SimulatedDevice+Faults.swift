// Double only: Apple has none of this.
import Synchronization

/// Faults for which the system kills an app, and resources that it withholds.
extension SimulatedDevice {
    /// 400 tasks took 3.7 seconds.
    static let timeToMakeOne: TimeInterval = 0.009

    /// The faults for which the system has killed the app.
    public var faults: [String] { state.withLock(\.faults) }
    /// How long creating tasks has blocked the app.
    public var timeSpentMaking: TimeInterval { state.withLock(\.timeSpentMaking) }

    /// Sets the function that returns the files in shared containers that the app's process has locked.
    public func whenAskedForLocks(_ answer: @escaping @Sendable () -> [String]) {
        state.withLock { $0.sharedLocks = answer }
    }

    /// Sets a function that gets the description of each task that is about to be resumed: from then on, the app may die at any time.
    public func whenResumed(_ look: @escaping @Sendable (String?) -> Void) { state.withLock { $0.onResume = look } }

    func reportResume(of task: URLSessionTask) { state.withLock(\.onResume)(task.taskDescription) }

    /// The user locks or unlocks the device. Some files are unreadable while it is locked.
    public func lock(_ isLocked: Bool, closing files: [String] = []) {
        state.withLock { state in
            state.isLocked = isLocked
            state.closedFiles.formUnion(files)
        }
    }

    /// An update of the app, or a restored backup, moves its container. `tasksFollow`: whether the system finds the files of its tasks at
    /// their new paths.
    public func moveContainer(from old: String, to new: String, tasksFollow: Bool) throws {
        let isDead = state.withLock { $0.app == .dead }
        precondition(isDead, "the system ends an app before it moves its container")
        try FileManager.default.moveItem(atPath: old, toPath: new)
        state.withLock { state in
            state.diary.append("the container is moved")
            guard tasksFollow else { return }
            for key in state.tasks.keys {
                for number in (state.tasks[key] ?? [:]).keys { state.tasks[key]?[number]?.move(from: old, to: new) }
            }
            for token in state.resumeTokens.keys { state.resumeTokens[token]?.move(from: old, to: new) }
        }
    }

    /// The system empties the app's temporary directory, to which the resume data of foreground sessions refers.
    public func clearTemporaryFiles() {
        let missing = NSError(domain: NSPOSIXErrorDomain, code: 2)
        state.withLock { state in
            for (data, task) in state.resumeTokens where task.isOfProcess {
                if case .download = task.kind { state.resumeTokens[data]?.refusal = missing }
            }
        }
    }

    /// The process needs a container that it shares with the app, as in an extension: without one, a background session runs no task.
    public func requireSharedContainer() { state.withLock { $0.requiresSharedContainer = true } }

    /// Returns the configuration of the app's session with that identifier; `nil` for the last one of the process.
    public func configuration(of identifier: String?) -> URLSessionConfiguration? {
        state.withLock { state in
            identifier.map { state.configurations[$0] }
                ?? state.configurations.first { $0.key.hasPrefix("#") && state.links[$0.key] != nil }?.value
        }
    }

    /// The system's transfer service ends, and with it all tasks of background sessions.
    public func endTransferService() {
        failTasks(with: .backgroundSessionWasDisconnected) { !$0.hasPrefix("#") }
    }

    /// All tasks end with an error.
    public func failTasks(with code: URLError.Code) { failTasks(with: code) { _ in true } }

    private func failTasks(with code: URLError.Code, where isOne: (String) -> Bool) {
        let error = NSError(domain: NSURLErrorDomain, code: code.rawValue)
        let keys = state.withLock { state in
            for (key, tasks) in state.tasks where isOne(key) {
                for number in tasks.keys { state.end(key, number, error) }
            }
            return state.isAwake ? state.links.keys.sorted() : []
        }
        for key in keys { deliverEvents(key) }
    }

    /// Half a minute after a launch: an app that has not called its completion handler is killed.
    public func runOutOfPatience() {
        guard state.withLock({ $0.isAwake && $0.openHandlers > 0 }) else { return }
        end(because: "a completion handler was not called in time")
    }

    /// Kills an app that is suspended while it holds a lock on a shared file (0xdead10cc).
    func endWhoHoldsLocks() {
        let locks = state.withLock(\.sharedLocks)()
        if !locks.isEmpty { end(because: "suspended while holding locks: \(locks.joined(separator: ", "))") }
    }

    private func end(because fault: String) {
        state.withLock { state in
            state.faults.append(fault)
            state.diary.append("the system ends the app: \(fault)")
        }
        enter(.dead)
    }
}

extension SimulatedDevice.State {
    /// After the request's timeout, a foreground session gives up, and a background session sends the request again.
    mutating func checkSilence(_ key: String, _ task: CarriedTask) -> Bool {
        let since = task.silentSince ?? now
        tasks[key]?[task.number]?.silentSince = since
        guard now - since > task.request.timeoutInterval else { return false }
        tasks[key]?[task.number]?.silentSince = nil
        if key.hasPrefix("#") {
            end(key, task.number, NSError(domain: NSURLErrorDomain, code: URLError.Code.timedOut.rawValue))
        } else {
            tasks[key]?[task.number]?.beginAnew()
            diary.append("task \(task.serial) restarts: its server was silent")
        }
        return true
    }
}

extension SimulatedDevice.State {
    func refusal(ofSession key: String) -> NSError? {
        guard requiresSharedContainer, !key.hasPrefix("#"), configurations[key]?.sharedContainerIdentifier == nil
        else { return nil }
        return NSError(
            domain: NSURLErrorDomain, code: URLError.Code.backgroundSessionRequiresSharedContainer.rawValue)
    }
}
