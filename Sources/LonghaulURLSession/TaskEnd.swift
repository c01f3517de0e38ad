import Foundation
import LonghaulCore

/// The end of a task, and the outcome of its exchange. Without an error, it may also be a present state.
struct TaskEnd {
    private let task: URLSessionTask
    private let running: SystemEngine.Running
    private let error: NSError?
    private let now: WallTime

    init(_ task: URLSessionTask, _ running: SystemEngine.Running, _ error: NSError?, at now: WallTime) {
        (self.task, self.running, self.error, self.now) = (task, running, error, now)
    }

    private static let lostFile = TransferFailure(
        .fileFailed, "Could not move the downloaded file into place. Free some space, then retry.")

    /// Whether the next attempt may use the error's resume data. The same data would be refused again.
    var leavesResumeData: Bool { error != nil && !hasRefusedResumeData }

    private var hasRefusedResumeData: Bool {
        guard let error, running.note.usesResumeData else { return false }
        return ErrorReading.mayRefuseResumeData(error, hasMoved: running.witness.hasMoved)
    }

    /// Whether the complete request, which must not be repeated, may have reached a server if the task ends without a response.
    var mayHaveArrived: Bool {
        guard running.note.isOnceOnly else { return false }
        return running.witness.mayHaveArrived(
            sent: task.countOfBytesSent, of: running.note.bodyLength ?? 0,
            neverConnected: error.map(ErrorReading.neverLeft) ?? false,
            isAhead: task.earliestBeginDate.map { $0.timeIntervalSince1970 > now.timeInterval } ?? false)
    }

    /// The outcome. Closes the file of a download of this process.
    var outcome: ExchangeOutcome {
        var outcome = ExchangeOutcome(
            ending: .responded, head: ResponseHead(task), body: running.body,
            isBodyTruncated: running.isBodyTruncated, requestLeft: error.map { !ErrorReading.neverLeft($0) } ?? true,
            bytesSent: task.countOfBytesSent, bytesReceived: task.countOfBytesReceived)
        outcome.lossReason = error.flatMap(ErrorReading.reason)
        if running.note.isOnceOnly {
            outcome.mayHaveArrived = mayHaveArrived
            outcome.requestLeft =
                running.witness.sight != .nothingLeft && (outcome.mayHaveArrived || outcome.requestLeft)
        }
        if let failure = redirectFailure(outcome.head) {
            outcome.ending = .broke(failure)
            return outcome
        }
        if let arriving = running.arriving {
            return arriving.end(
                error, isCancelled: running.isCancelled, requestLeft: outcome.requestLeft,
                bytesReceived: outcome.bytesReceived)
        }
        guard let error else {
            if outcome.head == nil {
                outcome.ending = .broke(TransferFailure(.connectionLost, "The server sent no response."))
            }
            if running.note.partialPath != nil { outcome.ending = .broke(Self.lostFile) }
            return outcome
        }
        if outcome.head?.isSuccess ?? false, running.note.partialPath == nil,
            outcome.bytesSent >= running.note.bodyLength ?? 0, error.code != URLError.Code.cancelled.rawValue
        {
            // The server has the request, whatever the system failed to read afterwards.
            return outcome
        }
        let isOurs = running.isCancelled && ErrorReading.reason(error) == nil
        outcome.ending =
            isOurs ? .cancelled : .broke(ErrorReading.failure(error, isOfResumeData: hasRefusedResumeData))
        return outcome
    }

    private func redirectFailure(_ head: ResponseHead?) -> TransferFailure? {
        if let redirects = running.redirects { return redirects.refusal }
        // The system follows redirects of background sessions without asking.
        guard head != nil, let method = task.currentRequest?.httpMethod, method != running.note.method
        else { return nil }
        return TransferFailure(
            .redirectRefused, "The server redirects the request as a \(method), which would lose its body.")
    }
}
