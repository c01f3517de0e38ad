// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
public import Dispatch
import Synchronization

// Source: backgroundtasks/bgtaskscheduler
@available(iOS 13.0, *)
@available(macOS, unavailable)
open class BGTaskScheduler: NSObject {
    // Source: backgroundtasks/bgtaskscheduler/error
    public struct Error: Swift.Error, Equatable {
        // Source: backgroundtasks/bgtaskscheduler/error/code
        public enum Code: Int, Sendable {
            case unavailable = 1, tooManyPendingTaskRequests, notPermitted, immediateRunIneligible
        }
        public var code: Code
    }

    private struct State: @unchecked Sendable {
        var permitted: Set<String> = []
        var isLaunching = true
        var isAvailable = true
        var pending: [String: BGTaskRequest] = [:]
        var completed: [Completion] = []
        var handlers: [String: (queue: DispatchQueue?, launch: (BGTask) -> Void)] = [:]

        /// Identifiers of continued processing may end with a wildcard, and their handlers may be registered at any time.
        func isPermitted(_ identifier: String) -> Bool {
            permitted.contains { name in
                name == identifier || name.hasSuffix(".*") && identifier.hasPrefix(name.dropLast(1))
            }
        }

        func handler(of identifier: String) -> (queue: DispatchQueue?, launch: (BGTask) -> Void)? {
            handlers[identifier]
        }
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
            guard state.isPermitted(identifier) else { return false }
            let isNamed = state.permitted.contains(identifier)
            precondition(state.isLaunching || !isNamed, "handlers are registered before the launch ends")
            precondition(state.handlers[identifier] == nil, "a handler was registered twice")
            state.handlers[identifier] = (queue, launch)
            return true
        }
    }

    // Source: backgroundtasks/bgtaskscheduler/submit(_:)
    open func submit(_ taskRequest: BGTaskRequest) throws {
        try state.withLock { state in
            guard state.isAvailable else { throw Error(code: .unavailable) }
            guard state.isPermitted(taskRequest.identifier) else { throw Error(code: .notPermitted) }
            let isRefresh = taskRequest is BGAppRefreshTaskRequest
            let others = state.pending.values.count {
                $0.identifier != taskRequest.identifier && ($0 is BGAppRefreshTaskRequest) == isRefresh
            }
            guard others < (isRefresh ? 1 : 10) else { throw Error(code: .tooManyPendingTaskRequests) }
            state.pending[taskRequest.identifier] = taskRequest
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

// What the system does with requests.
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

    /// Double only: another process is launched, with these identifiers in its Info.plist; pending requests are kept.
    public func beginLaunch(permitting identifiers: [String]) {
        state.withLock { state in
            state.permitted = Set(identifiers)
            state.isLaunching = true
            state.handlers = [:]
        }
    }

    /// Double only: `didFinishLaunching` has returned.
    public func endLaunch() { state.withLock { $0.isLaunching = false } }

    /// Double only: discards the state of earlier tests.
    public func reset() { state.withLock { $0 = State() } }

    /// Double only: the user has turned background refresh on or off.
    public func setAvailable(_ isAvailable: Bool) { state.withLock { $0.isAvailable = isAvailable } }

    /// Double only: the pending requests.
    public var pending: [String: BGTaskRequest] { state.withLock { $0.pending } }

    /// Double only: the completed tasks.
    public var completed: [Completion] { state.withLock { $0.completed } }

    /// Double only: the time has come, and the system starts the task.
    @discardableResult
    public func launch(_ identifier: String) -> BGTask? {
        let (request, handler) = state.withLock { state in
            (state.pending.removeValue(forKey: identifier), state.handler(of: identifier))
        }
        guard let request, let handler else { return nil }
        let task: BGTask
        if #available(iOS 26.0, *), request is BGContinuedProcessingTaskRequest {
            task = BGContinuedProcessingTask(identifier, self)
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
