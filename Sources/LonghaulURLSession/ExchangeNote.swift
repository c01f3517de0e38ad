import LonghaulCore

/// What is written down of an exchange before the system has it, and once more when it has ended: another process may have to make
/// sense of what comes back, and an end is heard only once.
struct ExchangeNote: Equatable {
    var method: String
    /// Whether its request must not be repeated.
    var isOnceOnly: Bool
    /// Where a download's bytes belong; `nil` when the answer is kept in memory.
    var partialPath: String?
    var resume: ResumePoint?
    var responseLimit: Int
    var bodyLength: Int64?
    /// The head of a download whose file the system has handed over.
    var head: ResponseHead?
    /// How it ended, until the loop has that on the disk.
    var outcome: ExchangeOutcome?

    init(_ plan: ExchangePlan) {
        method = plan.method
        isOnceOnly = plan.body?.holdsLastBytes ?? false
        bodyLength = plan.body?.length
        switch plan.sink {
        case .memory(let limit): responseLimit = limit
        case .partial(let partial):
            (partialPath, resume) = (partial.path, partial.resume)
            responseLimit = 64 << 10
        }
    }
}

extension ExchangeNote: WireMessage {
    func encode(into writer: inout WireWriter) {
        writer.text(method, at: 1)
        writer.flag(isOnceOnly, at: 2)
        writer.text(partialPath, at: 3)
        writer.integer(responseLimit, at: 4)
        writer.signed(bodyLength, at: 5)
        if let resume {
            writer.signed(resume.length, at: 6)
            writer.signed(resume.overlap, at: 7)
            writer.message(resume.validators, at: 8)
        }
        writer.message(head.map(WireHead.init), at: 9)
        writer.message(outcome.map(WireOutcome.init), at: 10)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            ExchangePlan(
                method: "", url: "", headers: [], body: nil, sink: .memory(limit: 0), network: NetworkOptions(),
                followsOnlyRepeatingRedirects: false))
        var (length, overlap) = (Int64(0), Int64(0))
        var validators: Validators?
        while let field = try reader.nextField() {
            switch field {
            case 1: method = try reader.text()
            case 2: isOnceOnly = try reader.flag()
            case 3: partialPath = try reader.text()
            case 4: responseLimit = try reader.count()
            case 5: bodyLength = try reader.length()
            case 6: length = try reader.length()
            case 7: overlap = try reader.length()
            case 8: validators = try reader.message()
            case 9: head = (try reader.message() as WireHead).head
            case 10: outcome = (try reader.message() as WireOutcome).outcome
            default: try reader.skip()
            }
        }
        guard overlap <= length else { throw .unknownValue }
        if let validators { resume = ResumePoint(length: length, overlap: overlap, validators: validators) }
    }
}

private struct WireHead: WireMessage {
    var head: ResponseHead

    init(_ head: ResponseHead) { self.head = head }

    func encode(into writer: inout WireWriter) {
        writer.integer(head.status, at: 1)
        writer.messages(head.headers, at: 2)
        writer.text(head.effectiveURL, at: 3)
    }

    init(from reader: inout WireReader) throws(WireError) {
        head = ResponseHead(status: 0, headers: [], effectiveURL: "")
        while let field = try reader.nextField() {
            switch field {
            case 1: head.status = try reader.count()
            case 2: head.headers.append(try reader.message())
            case 3: head.effectiveURL = try reader.text()
            default: try reader.skip()
            }
        }
    }
}

private struct WireOutcome: WireMessage {
    var outcome: ExchangeOutcome

    init(_ outcome: ExchangeOutcome) { self.outcome = outcome }

    func encode(into writer: inout WireWriter) {
        switch outcome.ending {
        case .responded: break
        case .cancelled: writer.flag(true, at: 1)
        case .broke(let failure): writer.message(Optional(failure), at: 2)
        }
        writer.message(outcome.head.map(WireHead.init), at: 3)
        writer.data(outcome.body, at: 4)
        writer.flag(outcome.isBodyTruncated, at: 5)
        writer.flag(outcome.requestLeft, at: 6)
        writer.signed(outcome.bytesSent, at: 7)
        writer.signed(outcome.bytesReceived, at: 8)
        switch outcome.disposition {
        case .none, .held: break
        case .written(let length, let isComplete):
            writer.signed(Optional(length), at: 9)
            writer.flag(isComplete, at: 10)
        case .overlapDiffers: writer.integer(1, at: 11)
        case .refused(let refusal):
            switch refusal {
            case .alreadyComplete: writer.integer(2, at: 11)
            case .changed: writer.integer(3, at: 11)
            case .lengthUnknown: writer.integer(4, at: 11)
            case .status: writer.integer(5, at: 11)
            case .rangeUnusable(let why): writer.text(Optional(why), at: 12)
            }
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        outcome = ExchangeOutcome(ending: .responded, requestLeft: false)
        var length: Int64?
        var isComplete = false
        while let field = try reader.nextField() {
            switch field {
            case 1: if try reader.flag() { outcome.ending = .cancelled }
            case 2: outcome.ending = .broke(try reader.message())
            case 3: outcome.head = (try reader.message() as WireHead).head
            case 4: outcome.body = try reader.data()
            case 5: outcome.isBodyTruncated = try reader.flag()
            case 6: outcome.requestLeft = try reader.flag()
            case 7: outcome.bytesSent = try reader.length()
            case 8: outcome.bytesReceived = try reader.length()
            case 9: length = try reader.length()
            case 10: isComplete = try reader.flag()
            case 11: outcome.disposition = try Self.disposition(reader.count())
            case 12: outcome.disposition = .refused(.rangeUnusable(try reader.text()))
            default: try reader.skip()
            }
        }
        if let length { outcome.disposition = .written(length: length, isComplete: isComplete) }
    }

    private static func disposition(_ number: Int) throws(WireError) -> ExchangeOutcome.Disposition {
        switch number {
        case 1: .overlapDiffers
        case 2: .refused(.alreadyComplete)
        case 3: .refused(.changed)
        case 4: .refused(.lengthUnknown)
        case 5: .refused(.status)
        default: throw .unknownValue
        }
    }
}
