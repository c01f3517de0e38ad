import Foundation
import LonghaulCore

/// What the system is told of a task beside its request, so that it chooses the moment well.
enum TaskHints {
    /// What the fields of a request, or of an answer without much of a body, come to about.
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
