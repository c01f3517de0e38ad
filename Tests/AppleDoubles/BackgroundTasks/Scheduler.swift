// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
public import Dispatch
import Synchronization

// Source: backgroundtasks/bgtaskscheduler
@available(iOS 13.0, *)
@available(macOS, unavailable)
open class BGTaskScheduler: NSObject {
    // Source: backgroundtasks/bgtaskscheduler/error
    public struct Error: CustomNSError, Hashable {
        // Source: backgroundtasks/bgtaskscheduler/error/code
        public enum Code: Int, Sendable {
            case unavailable = 1, tooManyPendingTaskRequests, notPermitted, immediateRunIneligible
        }
        public var code: Code
    }

    private struct State: @unchecked Sendable {
        var permitted: Set<String> = []
        var modes: Set<String> = []
        var bundle = ""
        var isLaunching = true
        var isAvailable = true
        var isInSimulator = false
        var isBusy = false
        var deniesCompletion = false
        var isMute = false
        var oldSubmissions = 0
        var pending: [String: BGTaskRequest] = [:]
        var completed: [Completion] = []
        var handlers: [String: Handler] = [:]

        /// Whether an entry of Info.plist ends with a wildcard and permits the name.
        func hasWildcard(for identifier: String) -> Bool {
            permitted.contains { $0.hasSuffix(".*") && identifier.hasPrefix($0.dropLast(1)) }
        }

        /// Names of continued processing begin with the bundle identifier and have a wildcard. All others are listed as they are.
        func isPermitted(_ request: BGTaskRequest) -> Bool {
            if #available(iOS 26.0, *), request is BGContinuedProcessingTaskRequest {
                return request.identifier.hasPrefix(bundle + ".") && hasWildcard(for: request.identifier)
            }
            let mode = request is BGAppRefreshTaskRequest ? "fetch" : "processing"
            return permitted.contains(request.identifier) && modes.contains(mode)
        }

        mutating func submit(_ request: BGTaskRequest) throws {
            guard isAvailable, !isInSimulator else { throw Error(code: .unavailable) }
            guard isPermitted(request) else { throw Error(code: .notPermitted) }
            if #available(iOS 26.0, *), isBusy, (request as? BGContinuedProcessingTaskRequest)?.strategy == .fail {
                throw Error(code: .immediateRunIneligible)
            }
            let isRefresh = request is BGAppRefreshTaskRequest
            let others = pending.values.count {
                $0.identifier != request.identifier && ($0 is BGAppRefreshTaskRequest) == isRefresh
            }
            guard others < (isRefresh ? 1 : 10) else { throw Error(code: .tooManyPendingTaskRequests) }
            pending[request.identifier] = request
        }
    }

    private struct Handler {
        var queue: DispatchQueue?
        var launch: (BGTask) -> Void
        var isOfScene = false
    }

    private let state = Mutex(State())
    nonisolated(unsafe) private static let theOne = BGTaskScheduler()
    // Source: backgroundtasks/bgtaskscheduler/shared
    open class var shared: BGTaskScheduler { theOne }

    // Source: backgroundtasks/bgtaskscheduler/register(fortaskwithidentifier:using:launchhandler:)
    @available(iOSApplicationExtension, unavailable)
    open func register(
        forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        nonisolated(unsafe) let launch = launchHandler
        return state.withLock { state in
            let isNamed = state.permitted.contains(identifier)
            guard isNamed || state.hasWildcard(for: identifier) else { return false }
            precondition(state.isLaunching || !isNamed, "handlers are registered before the launch ends")
            precondition(state.handlers[identifier] == nil, "a handler was registered twice")
            state.handlers[identifier] = Handler(queue: queue, launch: launch)
            return true
        }
    }

    // Source: backgroundtasks/bgtaskscheduler/submit(_:)
    @available(iOS, introduced: 13.0, deprecated: 27.0)
    open func submit(_ taskRequest: BGTaskRequest) throws {
        try state.withLock { state in
            state.oldSubmissions += 1
            try state.submit(taskRequest)
        }
    }

    // Source: backgroundtasks/bgtaskscheduler/submittaskrequest(_:completionhandler:)
    @available(iOS 27.0, *)
    open func submitTaskRequest(
        _ taskRequest: BGTaskRequest, completionHandler: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) {
        let result = Result {
            try state.withLock { state in
                precondition(!state.deniesCompletion, "this system is older than iOS 27")
                try state.submit(taskRequest)
            }
        }
        guard !state.withLock(\.isMute) else { return }
        DispatchQueue.global().async {
            if case .failure(let error) = result { completionHandler(error) } else { completionHandler(nil) }
        }
    }

    // Source: backgroundtasks/bgtaskscheduler/cancel(taskrequestwithidentifier:)
    open func cancel(taskRequestWithIdentifier identifier: String) {
        state.withLock { _ = $0.pending.removeValue(forKey: identifier) }
    }

    func complete(_ identifier: String, _ isSuccess: Bool) {
        state.withLock { $0.completed.append(Completion(identifier: identifier, isSuccess: isSuccess)) }
    }
}

// The system's side: starts of tasks, and their ends.
@available(iOS 13.0, *)
@available(macOS, unavailable)
extension BGTaskScheduler {
    /// Double only: a `setTaskCompleted(success:)`.
    public struct Completion: Equatable, Sendable {
        public var identifier: String
        public var isSuccess: Bool

        public init(identifier: String, isSuccess: Bool) {
            self.identifier = identifier
            self.isSuccess = isSuccess
        }
    }

    /// Double only: another process is launched, with these entries in its Info.plist; pending requests are kept.
    public func beginLaunch(
        permitting identifiers: [String], modes: Set<String> = ["fetch", "processing"],
        bundle: String = "org.example.photos"
    ) {
        state.withLock { state in
            (state.permitted, state.modes, state.bundle) = (Set(identifiers), modes, bundle)
            state.isLaunching = true
            state.handlers = [:]
        }
    }

    /// Double only: a scene handles the task. It may be evaluated several times, but its names are those of no other handler.
    public func registerScene(_ identifier: String, launchHandler: @escaping (BGTask) -> Void) {
        nonisolated(unsafe) let launch = launchHandler
        state.withLock { state in
            precondition(state.handlers[identifier]?.isOfScene ?? true, "a handler was registered twice")
            state.handlers[identifier] = Handler(launch: launch, isOfScene: true)
        }
    }

    /// Double only: `didFinishLaunching` has returned.
    public func endLaunch() { state.withLock { $0.isLaunching = false } }

    /// Double only: discards the state of earlier tests.
    public func reset() { state.withLock { $0 = State() } }

    /// Double only: the user has turned background refresh on or off.
    public func setAvailable(_ isAvailable: Bool) { state.withLock { $0.isAvailable = isAvailable } }

    /// Double only: the app runs in the simulator.
    public func runInSimulator() { state.withLock { $0.isInSimulator = true } }

    /// Double only: the names with a launch handler.
    public var registered: [String] { state.withLock { $0.handlers.keys.sorted() } }

    /// Double only: the system can start no continued work now, or it can.
    public func setBusy(_ isBusy: Bool) { state.withLock { $0.isBusy = isBusy } }

    /// Double only: the system lacks `submitTaskRequest`.
    public func denyCompletion() { state.withLock { $0.deniesCompletion = true } }

    /// Double only: the system never calls the completion handler of `submitTaskRequest`.
    public func withholdAnswers() { state.withLock { $0.isMute = true } }

    /// Double only: the number of calls of `submit`, which is deprecated.
    public var oldSubmissions: Int { state.withLock(\.oldSubmissions) }

    /// Double only: the pending requests.
    public var pending: [String: BGTaskRequest] { state.withLock { $0.pending } }

    /// Double only: the completed tasks.
    public var completed: [Completion] { state.withLock { $0.completed } }

    /// Double only: the time has come, and the system starts the task.
    @discardableResult
    public func launch(_ identifier: String) -> BGTask? {
        let (request, handler) = state.withLock { state in
            (state.pending.removeValue(forKey: identifier), state.handlers[identifier])
        }
        guard let request, let handler else { return nil }
        let task: BGTask
        if #available(iOS 26.0, *), let request = request as? BGContinuedProcessingTaskRequest {
            task = BGContinuedProcessingTask(request, self)
        } else if request is BGAppRefreshTaskRequest {
            task = BGAppRefreshTask(identifier, self)
        } else {
            task = BGProcessingTask(identifier, self)
        }
        nonisolated(unsafe) let given = task
        nonisolated(unsafe) let launch = handler.launch
        (handler.queue ?? .global()).async { launch(given) }
        return task
    }
}
