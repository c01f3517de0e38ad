// Double only: Apple has none of this.
import Synchronization

/// A device with one app: the daemon that runs background sessions, the app's processes, a network, and a clock. A test advances it step
/// by step; it has no timers or threads. Each rule has its source in `Tests/AppleDoubles/sources.md`.
public final class SimulatedDevice: Sendable {
    /// The state of the app.
    public enum App: Sendable { case foreground, background, suspended, dead }

    struct State: @unchecked Sendable {
        var app = App.foreground
        /// The number of the app's process.
        var process = 1
        var wasForceQuit = false
        var now: TimeInterval = 0
        var network = SimulatedNetwork()
        var hasPower = true
        /// By session: the identifier of a background session, or an internal name of the double for others.
        var tasks: [String: [Int: CarriedTask]] = [:]
        var configurations: [String: URLSessionConfiguration] = [:]
        /// The sessions of the present process: the system retains them until they are invalidated or the process dies.
        var links: [String: URLSession] = [:]
        /// Events that were not delivered to any process yet.
        var kept: [String: [(Int, CarriedTask.Callback)]] = [:]
        /// By session: each counts its own tasks, and the device counts all of them.
        var lastNumber: [String: Int] = [:]
        var lastSerial = 0
        /// The sessions and hosts with a connection.
        var connections: Set<String> = []
        var trustQuestions = 0
        var resumeTokens: [Data: CarriedTask] = [:]
        var lastToken = 0
        /// The error with which the system refuses all resume data; `nil` if it accepts resume data.
        var refusal: NSError?
        /// Whether background sessions need a shared container.
        var requiresSharedContainer = false
        /// By session: tasks that a force-quit has ended, but that are listed once more.
        var listed: [String: Set<Int>] = [:]
        var launchDelay: TimeInterval = 0
        var launches: [String] = []
        var openHandlers = 0
        /// Sessions for which the app was started and that it has not created yet.
        var owesFinish: Set<String> = []
        /// Whether the last event of a launch is delayed, and the sessions for which it is pending.
        var finishesLate = false
        var lateFinishes: [String] = []
        var ends: [ReportedEnd] = []
        /// By session: the number of ends that were delivered before the process was notified that this was all.
        var allToldAt: [String: Int] = [:]
        var violations: [String] = []
        /// The faults for which the system has killed the app.
        var faults: [String] = []
        /// Files in shared containers that the app's process has locked.
        var sharedLocks: @Sendable () -> [String] = { [] }
        /// Files that are unreadable while the device is locked.
        var closedFiles: Set<String> = []
        var isLocked = false
        /// How long creating tasks has blocked the app.
        var timeSpentMaking: TimeInterval = 0
        /// The events, in order.
        var diary: [String] = []
        var onLaunch: @Sendable () -> Void = {}
        var onResume: @Sendable (String?) -> Void = { _ in }
        var onEvents: @Sendable (String, @escaping @Sendable () -> Void) -> Void = { _, done in done() }

        /// Whether a process is running.
        var isAwake: Bool { app == .foreground || app == .background }
    }

    let state = Mutex(State())
    /// Held while an event is delivered: the process dies before or after that, and a delivered event counts as received.
    let telling = Mutex(())
    private static let present = Mutex<SimulatedDevice>(SimulatedDevice())

    /// The device on which sessions are created.
    public static var current: SimulatedDevice {
        get { present.withLock { $0 } }
        set { present.withLock { $0 = newValue } }
    }

    private static let mainQueue = DispatchSpecificKey<Bool>()
    private static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueue) ?? false }

    /// Creates a device with the app in the foreground.
    public init() { DispatchQueue.main.setSpecific(key: Self.mainQueue, value: true) }

    /// The number of the app's present process.
    public var process: Int { state.withLock(\.process) }
    /// The sessions for which the app was started or woken.
    public var launches: [String] { state.withLock(\.launches) }
    /// How long the system delays tasks that the app creates in the background.
    public var launchDelay: TimeInterval { state.withLock(\.launchDelay) }
    /// Completion handlers of launches that were not called yet.
    public var openHandlers: Int { state.withLock(\.openHandlers) }
    /// The ends that were delivered to processes.
    public var ends: [ReportedEnd] { state.withLock(\.ends) }
    /// Returns the ends that were delivered before a process was notified, after its last launch for the session, that this was all; `nil`
    /// before that.
    public func endsWhenAllWasTold(of session: String) -> [ReportedEnd]? {
        state.withLock { state in
            state.allToldAt[session].map { count in state.ends.prefix(count).filter { $0.session == session } }
        }
    }
    /// The events in order, for debugging.
    public var diary: [String] { state.withLock(\.diary) }
    /// Records an event of another component.
    public func log(_ event: String) { state.withLock { $0.diary.append(event) } }
    /// Rules of the system that the app has broken.
    public var violations: [String] { state.withLock(\.violations) }
    /// The network and its counters.
    public var network: SimulatedNetwork { state.withLock(\.network) }
    /// Changes the network.
    public func changeNetwork(_ change: (inout SimulatedNetwork) -> Void) { state.withLock { change(&$0.network) } }
    /// Plugs the device in, or unplugs it.
    public func plug(in hasPower: Bool) { state.withLock { $0.hasPower = hasPower } }
    /// When the device was switched on: its clock starts here.
    public static let epoch = Date(timeIntervalSince1970: 1_800_000_000)
    /// Lets time pass.
    public func pass(_ seconds: TimeInterval) { state.withLock { $0.now += seconds } }

    /// The number of tasks that were started and have not ended; optionally only those of background sessions.
    public func unfinished(inBackground: Bool = false) -> Int {
        state.withLock { state in
            state.tasks.filter { !inBackground || !$0.key.hasPrefix("#") }.values
                .reduce(0) { $0 + $1.values.count { $0.state == .running } }
        }
    }

    /// The descriptions of tasks that were started and have not ended.
    public var unfinishedNames: [String] {
        state.withLock { state in
            state.tasks.values.flatMap { $0.values.filter { $0.state == .running }.compactMap(\.description) }.sorted()
        }
    }

    /// Sets the app's main function, which runs when it is started for events, and its delegate's function, which then
    /// gets an identifier and a completion handler.
    public func whenLaunched(
        _ launch: @escaping @Sendable () -> Void,
        events: @escaping @Sendable (String, @escaping @Sendable () -> Void) -> Void
    ) {
        state.withLock { ($0.onLaunch, $0.onEvents) = (launch, events) }
    }

    /// The app enters the foreground or the background, is suspended, or dies.
    public func enter(_ app: App) {
        let sessions = telling.withLock { _ in change(to: app) }
        for key in sessions { deliverEvents(key) }
        if app == .suspended { endWhoHoldsLocks() }
    }

    /// Changes the app's state, and returns the sessions with undelivered events.
    private func change(to app: App) -> [String] {
        state.withLock { state in
            state.app = app
            state.diary.append("the app: \(app)")
            if !state.isAwake { for key in state.kept.keys { state.forgetProgress(key) } }
            switch app {
            case .foreground:
                state.wasForceQuit = false
                state.launchDelay = 0
            case .dead:
                state.process += 1
                // Its completion handlers are lost with it.
                state.openHandlers = 0
                state.links = [:]
                (state.owesFinish, state.lateFinishes) = ([], [])
                state.connections = state.connections.filter { !$0.hasPrefix("#") }
                // Sessions other than background ones live in the process.
                for key in state.tasks.keys where key.hasPrefix("#") { state.tasks[key] = nil }
            case .background, .suspended: break
            }
            return state.isAwake ? state.links.keys.sorted() : []
        }
    }

    /// The user swipes the app away in the switcher. `listsTasks`: the next process finds the tasks in its list, and then gets their
    /// ends. Otherwise, it gets the ends first.
    public func forceQuit(listsTasks: Bool = false) {
        enter(.dead)
        state.withLock { state in
            state.wasForceQuit = true
            state.diary.append("a force-quit\(listsTasks ? ", after which the tasks are listed" : "")")
            for (key, tasks) in state.tasks {
                for (number, task) in tasks where task.state != .completed {
                    if listsTasks {
                        state.listed[key, default: []].insert(number)
                    } else {
                        state.cancel(key, number, reason: 0, producesResumeData: true)
                    }
                }
            }
        }
    }

    /// Sets the error with which later tasks with resume data end; `nil` if the system accepts resume data.
    public func refuseResumeData(with error: NSError?) { state.withLock { $0.refusal = error } }

    /// Tasks disappear without an event, as some developers have seen.
    public func loseTasks() {
        state.withLock { state in
            state.diary.append("the tasks are lost")
            for key in state.tasks.keys { state.tasks[key] = [:] }
            state.kept = [:]
        }
    }

    /// The connections break. The daemon retries automatically: a download resumes, and so does an upload whose server
    /// keeps received bytes; any other upload restarts. A task of a foreground session fails.
    public func breakConnections() {
        let keys = state.withLock { state in
            state.diary.append("the connections break")
            state.connections = []
            for (key, tasks) in state.tasks {
                for (number, task) in tasks where task.state == .running && (task.response == nil || task.isSending) {
                    if state.loseConnection(key, task) { continue }
                    task.reportCutOff(state.network)
                    if !(task.isKept && state.network.keepsUploads) { state.tasks[key]?[number]?.beginAnew() }
                }
            }
            return state.isAwake ? state.links.keys.sorted() : []
        }
        for key in keys { deliverEvents(key) }
    }

    /// Transfers one portion of each task that may run, then wakes the app if that is due. Returns whether any bytes were transferred.
    @discardableResult
    public func step() -> Bool {
        for key in state.withLock(\.listed.keys) { endListed(key) }
        let tasks = state.withLock { state in
            state.tasks.keys.sorted().flatMap { key in (state.tasks[key] ?? [:]).keys.sorted().map { (key, $0) } }
        }
        var hasMoved = false
        for (key, number) in tasks {
            hasMoved = state.withLock { $0.advance(key, number) } || hasMoved
            if state.withLock(\.isAwake) { deliverEvents(key) } else { state.withLock { $0.forgetProgress(key) } }
        }
        for key in state.withLock({ state in state.tasks.keys.filter { state.isWakeDue($0) }.sorted() }) { wake(key) }
        return hasMoved
    }

    private func wake(_ key: String) {
        let (launch, events, process) = state.withLock { state in
            state.launches.append(key)
            state.diary.append("the app is launched or woken for \(key)")
            state.allToldAt[key] = nil
            state.launchDelay = state.launchDelay == 0 ? 60 : state.launchDelay * 2
            let launch: (@Sendable () -> Void)? = state.app == .dead ? state.onLaunch : nil
            state.app = .background
            state.openHandlers += 1
            return (launch, state.onEvents, state.process)
        }
        launch?()
        let wasCalled = Mutex(false)
        events(key) { [self] in
            let isFirst = wasCalled.withLock { wasCalled in
                defer { wasCalled = true }
                return !wasCalled
            }
            state.withLock { state in
                guard state.process == process else { return }
                if isFirst { state.openHandlers -= 1 } else { state.violations.append("a handler was called twice") }
                if !Self.isOnMainQueue { state.violations.append("a handler was called off the main thread") }
            }
        }
        let isLate = state.withLock { state in
            if state.finishesLate { state.lateFinishes.append(key) }
            return state.finishesLate
        }
        deliverEvents(key, andFinish: !isLate)
    }

    /// Sets whether the event that all ends were delivered comes long after the launch: when `finishTelling` is called.
    public func setFinishesLate(_ isLate: Bool) { state.withLock { $0.finishesLate = isLate } }

    /// Delivers the delayed events.
    public func finishTelling() {
        let keys = state.withLock { state in
            defer { state.lateFinishes = [] }
            return state.lateFinishes
        }
        for key in keys { deliverEvents(key, andFinish: true) }
    }
}

extension SimulatedDevice.State {
    /// Returns whether all tasks of a session have ended, which wakes the app.
    func isWakeDue(_ key: String) -> Bool {
        guard !isAwake, !wasForceQuit, configurations[key]?.sessionSendsLaunchEvents == true,
            kept[key]?.isEmpty == false
        else { return false }
        return tasks[key]?.values.allSatisfy { $0.state == .completed } ?? false
    }

    mutating func advance(_ key: String, _ number: Int) -> Bool {
        guard var task = tasks[key]?[number], task.state == .running, !task.isDeciding,
            listed[key]?.contains(number) != true
        else { return false }
        // A suspended process transfers nothing.
        if key.hasPrefix("#"), !isAwake { return false }
        guard mayMove(task, key) else {
            tasks[key]?[number]?.silentSince = nil
            return loseConnection(key, task)
        }
        task.begunAt = task.begunAt ?? now
        let limit = configurations[key]?.timeoutIntervalForResource ?? 604_800
        if now - (task.begunAt ?? now) > limit {
            end(key, number, NSError(domain: NSURLErrorDomain, code: URLError.Code.timedOut.rawValue))
            return true
        }
        if let refusal = task.refusal ?? refusal(ofSession: key) {
            end(key, number, refusal)
            return true
        }
        if questionTrust(key, task) { return true }
        if case .upload(let file) = task.kind, isLocked, closedFiles.contains(file.path) {
            end(key, number, NSError(domain: NSURLErrorDomain, code: URLError.Code.noPermissionsToReadFile.rawValue))
            return true
        }
        let news =
            switch task.kind {
            case .upload: task.send(network.portion, &network)
            case .download, .data: task.fetch(network.portion, &network)
            }
        tasks[key]?[number] = task
        guard let news else { return checkSilence(key, task) }
        tasks[key]?[number]?.silentSince = nil
        diary.append("task \(task.serial): \(task.summary)")
        kept[key, default: []] += news.map { (number, $0) }
        return true
    }

    /// Returns whether a task may run. A task created in the background is discretionary, whatever its session says. Start times only
    /// apply in background sessions.
    private func mayMove(_ task: CarriedTask, _ key: String) -> Bool {
        guard now >= task.notBefore, task.isAllowed(on: network, configurations[key]) else { return false }
        if key.hasPrefix("#") { return true }
        if let date = task.hints.earliestBeginDate, date > SimulatedDevice.epoch + now { return false }
        let isDiscretionary = configurations[key]?.isDiscretionary ?? false || task.isMadeBehind
        return !isDiscretionary || !network.isExpensive && hasPower
    }

    /// A foreground session waits for a network before a task starts, but not during a task.
    fileprivate mutating func loseConnection(_ key: String, _ task: CarriedTask) -> Bool {
        guard key.hasPrefix("#") else { return false }
        if !task.hasMoved, !network.isOnline, configurations[key]?.waitsForConnectivity == false {
            let offline = URLError.Code.notConnectedToInternet.rawValue
            end(key, task.number, NSError(domain: NSURLErrorDomain, code: offline))
            return true
        }
        guard task.hasMoved else { return false }
        var information: [String: Any] = [:]
        if case .upload = task.kind { giveResumeData(of: task, &information) }
        end(
            key, task.number,
            NSError(
                domain: NSURLErrorDomain, code: URLError.Code.networkConnectionLost.rawValue, userInfo: information))
        return true
    }

    @discardableResult
    mutating func cancel(_ key: String, _ number: Int, reason: Int?, producesResumeData: Bool) -> Data? {
        guard let task = tasks[key]?[number], task.state != .completed else { return nil }
        task.reportCutOff(network)
        var information: [String: Any] = [:]
        if let reason { information[NSURLErrorBackgroundTaskCancelledReasonKey] = NSNumber(value: reason) }
        let token = producesResumeData ? giveResumeData(of: task, &information) : nil
        end(
            key, number,
            NSError(domain: NSURLErrorDomain, code: URLError.Code.cancelled.rawValue, userInfo: information))
        return token
    }

    @discardableResult
    private mutating func giveResumeData(of task: CarriedTask, _ information: inout [String: Any]) -> Data? {
        guard task.canProduceResumeData else { return nil }
        lastToken += 1
        let data = Data("resume \(lastToken)".utf8)
        resumeTokens[data] = task
        let key =
            if case .upload = task.kind { NSURLSessionUploadTaskResumeData } else { NSURLSessionDownloadTaskResumeData }
        information[key] = data
        return data
    }

    /// Returns the numbers of a new task.
    mutating func count(_ key: String) -> (number: Int, serial: Int) {
        lastNumber[key, default: 0] += 1
        lastSerial += 1
        return (lastNumber[key] ?? 0, lastSerial)
    }

    mutating func end(_ key: String, _ number: Int, _ error: NSError) {
        tasks[key]?[number]?.state = .completed
        diary.append("task \(tasks[key]?[number]?.serial ?? 0) ends with \(error.code)")
        kept[key, default: []].append((number, .complete(error)))
    }
}
