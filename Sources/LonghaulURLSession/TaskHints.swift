import Foundation
import LonghaulCore

/// Hints about a task beside its request, which help the system choose a good time.
enum TaskHints {
    /// The approximate size of the headers of a request, or of a response with little or no body.
    private static let fields: Int64 = 2 << 10

    static func apply(_ plan: ExchangePlan, to task: URLSessionTask) {
        task.countOfBytesClientExpectsToSend = (plan.body?.length ?? 0) + fields
        task.countOfBytesClientExpectsToReceive = expectedAnswer(plan.sink) ?? NSURLSessionTransferSizeUnknown
        guard let terms = plan.terms else { return }
        task.priority =
            terms.priority == 0
            ? URLSessionTask.defaultPriority
            : terms.priority > 0 ? URLSessionTask.highPriority : URLSessionTask.lowPriority
        task.earliestBeginDate = terms.notBefore.map { Date(timeIntervalSince1970: $0.timeInterval) }
    }

    private static func expectedAnswer(_ sink: SinkPlan) -> Int64? {
        switch sink {
        case .memory: fields
        case .partial(let partial):
            partial.resume.flatMap { point in point.validators.total.map { $0 - point.length + fields } }
        }
    }
}

extension WallTime {
    var timeInterval: TimeInterval { TimeInterval(microseconds) / 1_000_000 }
}
