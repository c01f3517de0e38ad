// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are; `Tests/AppleDoubles/sources.md` says where.
@_exported public import Foundation

open class BGTaskRequest: NSObject, @unchecked Sendable {
    public let identifier: String
    open var earliestBeginDate: Date?

    init(name: String) { identifier = name }
}

open class BGAppRefreshTaskRequest: BGTaskRequest, @unchecked Sendable {
    public init(identifier: String) { super.init(name: identifier) }
}

open class BGProcessingTaskRequest: BGTaskRequest, @unchecked Sendable {
    open var requiresNetworkConnectivity = false
    open var requiresExternalPower = false
    public init(identifier: String) { super.init(name: identifier) }
}

@available(iOS 26.0, *)
open class BGContinuedProcessingTaskRequest: BGTaskRequest, @unchecked Sendable {
    public enum SubmissionStrategy: Int, Sendable { case fail, queue }
    open var title: String
    open var subtitle: String
    open var strategy = SubmissionStrategy.queue

    public init(identifier: String, title: String, subtitle: String) {
        self.title = title
        self.subtitle = subtitle
        super.init(name: identifier)
    }
}

open class BGTask: NSObject {
    public let identifier: String
    open var expirationHandler: (() -> Void)?
    let scheduler: BGTaskScheduler

    init(_ identifier: String, _ scheduler: BGTaskScheduler) {
        self.identifier = identifier
        self.scheduler = scheduler
    }

    open func setTaskCompleted(success: Bool) { scheduler.complete(identifier, success) }
}

open class BGAppRefreshTask: BGTask {}
open class BGProcessingTask: BGTask {}

@available(iOS 26.0, *)
open class BGContinuedProcessingTask: BGTask, ProgressReporting {
    public let progress = Progress(totalUnitCount: 0)
    open private(set) var title = ""
    open private(set) var subtitle = ""
    open func updateTitle(_ title: String, subtitle: String) {
        self.title = title
        self.subtitle = subtitle
    }
}
