import LonghaulCore
import LonghaulSystem

/// A response in progress, and how the exchange handles it.
struct PlayedResponse {
    enum Meeting {
        /// A whole new body arrived instead of a part.
        case restarts(ResponseHead)
        case ended(ExchangeOutcome)
        /// The server stalls after the delivered bytes.
        case stands(PlayedResponse)
    }

    let request: TestRequest
    let head: ResponseHead?
    /// Whether the loop has received the headers.
    private(set) var isTold = false
    /// Bytes that the app did not have before.
    private(set) var received: Int64 = 0

    private let body: ArraySlice<UInt8>
    private let failure: FailureCode?
    private var course: TestAnswer.Delivery
    private var beginsAnew = false
    /// The current length of the partial file.
    private var written: Int64?

    init(_ answer: TestAnswer, to request: TestRequest) {
        self.request = request
        course = answer.course
        let response = answer.response(to: request)
        (head, body) = (response?.head, response?.body ?? [])
        failure = if case .failure(let code) = answer.content { code } else { nil }
    }

    /// Whether the whole response is held back until the test releases it.
    var isHeldBack: Bool { course == .held(after: 0) }

    /// Returns the rest of the response after the test releases it.
    func released() -> PlayedResponse {
        var response = self
        response.course = .whole
        return response
    }

    /// Returns the response after the partial file was declared invalid.
    func begun(anew: Bool) -> PlayedResponse {
        var response = self
        response.beginsAnew = anew
        return response
    }

    /// Returns the outcome of an exchange that ends at this point.
    func outcome(ending: ExchangeOutcome.Ending) -> ExchangeOutcome {
        var outcome = ExchangeOutcome(
            ending: ending, head: isTold ? head : nil, bytesSent: Int64(request.body.count), bytesReceived: received)
        if let written { outcome.disposition = .written(length: written, isComplete: false) }
        return outcome
    }

    /// Delivers the response to its sink.
    func meet(_ sink: SinkPlan) -> Meeting {
        guard let head else {
            let failure = TransferFailure(failure ?? .connectionLost, "The test has this happen to \(request.url).")
            return .ended(outcome(ending: .broke(failure)))
        }
        switch sink {
        case .memory(let limit): return end(wanted: coming.prefix(limit), disposition: .none, received: coming.count)
        case .partial(let plan):
            do throws(SystemError) {
                return try meet(plan, head)
            } catch {
                return .ended(
                    outcome(
                        ending: .broke(TransferFailure(.fileFailed, "\(plan.path) cannot be written.", error: error))))
            }
        }
    }

    /// The part of the body that arrives.
    private var coming: ArraySlice<UInt8> {
        switch course {
        case .whole: body
        case .breaks(let count), .held(let count): body.prefix(count)
        }
    }

    private func meet(_ plan: PartialPlan, _ head: ResponseHead) throws(SystemError) -> Meeting {
        let start: Int64
        var overlap = 0
        switch DownloadRule.decide(head: head, resume: beginsAnew ? nil : plan.resume) {
        case .holdForRestart: return .restarts(head)
        case .refuse(let refusal):
            return end(wanted: body.prefix(4 << 10), disposition: .refused(refusal), received: body.count)
        case .write(let offset, _): start = offset
        case .compareThenWrite(let first, let count, _):
            (start, overlap) = (first, Int(clamping: count))
        }
        let file = try Descriptor(opening: plan.path, [.both, .making])
        let repeated = coming.prefix(overlap)
        guard file.bytes(at: start, count: repeated.count) == Array(repeated) else {
            return end(wanted: [], disposition: .overlapDiffers, received: repeated.count)
        }
        let fresh = Array(coming.dropFirst(overlap))
        let offset = start + Int64(overlap)
        try file.truncate(to: offset)
        try fresh.withUnsafeBufferPointer { bytes throws(SystemError) in
            try file.writeAll(UnsafeRawBufferPointer(bytes), at: offset)
        }
        return end(
            wanted: [],
            disposition: .written(length: offset + Int64(fresh.count), isComplete: coming.count == body.count),
            received: fresh.count)
    }

    private func end(
        wanted: ArraySlice<UInt8>, disposition: ExchangeOutcome.Disposition, received count: Int
    ) -> Meeting {
        var further = self
        further.received = Int64(count)
        further.isTold = true
        if case .written(let length, _) = disposition { further.written = length }
        if case .held = course { return .stands(further) }
        var outcome = further.outcome(ending: .responded)
        (outcome.body, outcome.disposition) = (Array(wanted), disposition)
        outcome.isBodyTruncated = wanted.count < count && !wanted.isEmpty
        if case .breaks = course {
            outcome.ending = .broke(TransferFailure(.connectionLost, "The test has the connection break."))
        }
        return .ended(outcome)
    }
}

/// The body of a request, whole.
enum PlayedBody {
    static func bytes(of plan: BodyPlan?) throws(TransferFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        for segment in plan?.segments ?? [] {
            switch segment {
            case .bytes(let some): bytes += some
            case .file(let source, let offset, let length): bytes += try read(source, offset, length)
            }
        }
        return bytes
    }

    private static func read(
        _ source: SourceFile, _ offset: Int64, _ length: Int64
    ) throws(TransferFailure) -> [UInt8] {
        let file: Descriptor
        let pin: SourcePin
        do throws(SystemError) {
            file = try Descriptor(opening: source.path, .reading)
            pin = SourcePin(try file.status())
        } catch {
            let code: FailureCode = error.isMissing ? .sourceMissing : .sourceUnreadable
            throw TransferFailure(code, "\(source.path) cannot be read.", error: error)
        }
        guard source.isPinned(as: pin), let bytes = file.bytes(at: offset, count: Int(clamping: length)) else {
            throw TransferFailure(.sourceChanged, "\(source.path) was changed since it was submitted.")
        }
        return bytes
    }
}
