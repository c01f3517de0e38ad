// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
@_exported public import Foundation
import Synchronization

// Source: backgroundtasks/bgtaskrequest
@available(iOS 13.0, *)
@available(macOS, unavailable)
open class BGTaskRequest: NSObject {
    // Source: backgroundtasks/bgtaskrequest/identifier, backgroundtasks/bgtaskrequest/earliestbegindate
    public let identifier: String
    open var earliestBeginDate: Date?

    init(name: String) { identifier = name }
}

// Source: backgroundtasks/bgapprefreshtaskrequest
@available(iOS 13.0, *)
@available(macOS, unavailable)
open class BGAppRefreshTaskRequest: BGTaskRequest {
    // Source: backgroundtasks/bgapprefreshtaskrequest/init(identifier:)
    public init(identifier: String) { super.init(name: identifier) }
}

// Source: backgroundtasks/bgprocessingtaskrequest
@available(iOS 13.0, *)
@available(macOS, unavailable)
open class BGProcessingTaskRequest: BGTaskRequest {
    // Source: backgroundtasks/bgprocessingtaskrequest/requiresnetworkconnectivity
    open var requiresNetworkConnectivity = false
    // Source: backgroundtasks/bgprocessingtaskrequest/requiresexternalpower
    open var requiresExternalPower = false
    // Source: backgroundtasks/bgprocessingtaskrequest/init(identifier:)
    public init(identifier: String) { super.init(name: identifier) }
}

// Source: backgroundtasks/bgcontinuedprocessingtaskrequest
@available(iOS 26.0, *)
@available(macOS, unavailable)
@available(macCatalyst, unavailable)
open class BGContinuedProcessingTaskRequest: BGTaskRequest {
    // Source: backgroundtasks/bgcontinuedprocessingtaskrequest/submissionstrategy
    public enum SubmissionStrategy: Int, Sendable { case fail, queue }

    // Source: backgroundtasks/bgcontinuedprocessingtaskrequest/title
    open var title: String
    // Source: backgroundtasks/bgcontinuedprocessingtaskrequest/subtitle
    open var subtitle: String
    // Source: backgroundtasks/bgcontinuedprocessingtaskrequest/strategy
    open var strategy = SubmissionStrategy.queue

    // Source: backgroundtasks/bgcontinuedprocessingtaskrequest/init(identifier:title:subtitle:)
    public init(identifier: String, title: String, subtitle: String) {
        self.title = title
        self.subtitle = subtitle
        super.init(name: identifier)
    }
}

// Source: backgroundtasks/bgtask
@available(iOS 13.0, *)
@available(macOS, unavailable)
open class BGTask: NSObject {
    // Source: backgroundtasks/bgtask/identifier, backgroundtasks/bgtask/expirationhandler
    public let identifier: String
    open var expirationHandler: (() -> Void)? {
        get { handler.withLock { $0.call } }
        set {
            nonisolated(unsafe) let call = newValue
            handler.withLock { $0.call = call }
        }
    }
    let scheduler: BGTaskScheduler
    private let handler = Mutex(ExpirationHandler())

    private struct ExpirationHandler: @unchecked Sendable { var call: (() -> Void)? }

    init(_ identifier: String, _ scheduler: BGTaskScheduler) {
        self.identifier = identifier
        self.scheduler = scheduler
    }

    // Source: backgroundtasks/bgtask/settaskcompleted(success:)
    open func setTaskCompleted(success: Bool) {
        calls.withLock { $0 += 1 }
        scheduler.complete(identifier, success)
    }

    private let calls = Mutex(0)

    /// Double only: how often the app has completed the task.
    public var completions: Int { calls.withLock { $0 } }
}

// Source: backgroundtasks/bgapprefreshtask
@available(iOS 13.0, *)
@available(macOS, unavailable)
open class BGAppRefreshTask: BGTask {}

// Source: backgroundtasks/bgprocessingtask
@available(iOS 13.0, *)
@available(macOS, unavailable)
open class BGProcessingTask: BGTask {}

// Source: backgroundtasks/bgcontinuedprocessingtask
@available(iOS 26.0, *)
@available(macOS, unavailable)
@available(macCatalyst, unavailable)
open class BGContinuedProcessingTask: BGTask, ProgressReporting {
    // Source: foundation/progressreporting/progress
    public let progress = Progress(totalUnitCount: 0)
    // Source: backgroundtasks/bgcontinuedprocessingtask/title, backgroundtasks/bgcontinuedprocessingtask/subtitle
    open var title: String { texts.withLock { $0.title } }
    open var subtitle: String { texts.withLock { $0.subtitle } }
    private let texts: Mutex<(title: String, subtitle: String)>

    init(_ request: BGContinuedProcessingTaskRequest, _ scheduler: BGTaskScheduler) {
        texts = Mutex((request.title, request.subtitle))
        super.init(request.identifier, scheduler)
    }
    // Source: backgroundtasks/bgcontinuedprocessingtask/updatetitle(_:subtitle:)
    open func updateTitle(_ title: String, subtitle: String) { texts.withLock { $0 = (title, subtitle) } }
}
