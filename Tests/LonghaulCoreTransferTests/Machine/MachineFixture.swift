@testable import LonghaulCore

/// A machine with a manual clock.
struct MachineFixture {
    static let start = WallTime(seconds: 1_800_000_000)
    static let pin = SourcePin(size: 1_000, modified: 7, inode: 42, device: 1)

    var machine: TransferMachine
    var now = Self.start
    var bootID = "boot-1"
    var random: UInt64 = 12_345
    /// The engine's answer about the exchange.
    var stopLeavesDoubt = false

    init(_ spec: TransferSpec) {
        let id = TransferID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
        let record = TransferRecord(
            id: id, spec: spec, state: .waiting(Waiting(.turn, since: Self.start)), createdAt: Self.start)
        machine = TransferMachine(record)
    }

    static func download(_ change: (inout TransferSpec) -> Void = { _ in }) -> MachineFixture {
        var spec = TransferSpec(
            work: .download(DownloadSpec(directory: "/tmp/files", fileName: "film.mp4")), method: "GET",
            url: "http://example.org/film.mp4")
        change(&spec)
        return MachineFixture(spec)
    }

    static func upload(
        _ method: String, staged: Bool = false, _ change: (inout TransferSpec) -> Void = { _ in }
    ) -> MachineFixture {
        let source = SourceFile(path: "/tmp/source", pin: pin, isStaged: staged)
        var spec = TransferSpec(work: .upload(.raw(source)), method: method, url: "http://example.org/in")
        change(&spec)
        return MachineFixture(spec)
    }

    static func tus(_ change: (inout TransferSpec) -> Void = { _ in }) -> MachineFixture {
        let source = SourceFile(path: "/tmp/source", pin: pin)
        let metadata = [MetadataPair(key: "filename", value: "source")]
        var spec = TransferSpec(
            work: .upload(.tus(source, metadata: metadata)), method: "POST", url: "http://example.org/files")
        change(&spec)
        return MachineFixture(spec)
    }

    @discardableResult
    mutating func feed(_ event: TransferEvent) -> [TransferAction] {
        machine.handle(event, at: moment).actions
    }

    @discardableResult
    mutating func engine(_ event: EngineEvent) -> [TransferAction] {
        feed(.engine(event))
    }

    mutating func refusal(of verb: ControlVerb) -> TransferFailure? {
        machine.handle(.command(verb), at: moment).refusal
    }

    private var moment: Moment {
        Moment(now: now, random: random, bootID: bootID, stopLeavesDoubt: stopLeavesDoubt)
    }

    var state: TransferState { machine.record.state }
    var facts: TransferFacts { machine.record.facts }

    /// The process dies, and only the record remains.
    mutating func crash() -> [TransferAction] {
        machine = TransferMachine(machine.record)
        return feed(.recovered)
    }

    /// The process dies, and its exchange continues or is lost; `recovered` follows if no step is left.
    mutating func crash(_ event: TransferEvent) -> [TransferAction] {
        let wasUnderWay = state.isUnderWay
        machine = TransferMachine(machine.record)
        let actions = feed(event)
        return machine.step == nil && wasUnderWay ? actions + feed(.recovered) : actions
    }

    /// Returns an exchange of the present attempt that continues without the process.
    func survivor(isBodySent: Bool = false, resume: ResumePoint? = nil) -> SurvivingExchange {
        SurvivingExchange(
            id: ExchangeID(transfer: machine.record.id, attempt: facts.attempts),
            condition: .carried(isBodySent: isBodySent), bodyLength: facts.bytesTotal, resume: resume)
    }
}

extension TransferState {
    fileprivate var isUnderWay: Bool {
        switch self {
        case .running, .awaitingResponse: true
        case .waiting, .paused, .succeeded, .failed, .cancelled: false
        }
    }
}

extension ResponseHead {
    static func ok(_ status: Int = 200, _ headers: [HeaderField] = []) -> ResponseHead {
        ResponseHead(status: status, headers: headers, effectiveURL: "http://example.org/film.mp4")
    }

    /// The headers of a file with a strong, settled tag.
    static func file(tag: String = "\"one\"", length: Int64 = 1_000) -> ResponseHead {
        .ok(
            200,
            [
                HeaderField("Content-Length", "\(length)"), HeaderField("ETag", tag),
                HeaderField("Date", "Fri, 15 Jan 2027 08:00:00 GMT"),
                HeaderField("Last-Modified", "Thu, 14 Jan 2027 08:00:00 GMT"),
            ])
    }

    static func tus(_ status: Int, offset: Int64? = nil, _ more: [HeaderField] = []) -> ResponseHead {
        let offsetField = offset.map { [HeaderField("Upload-Offset", String($0))] } ?? []
        return ResponseHead(
            status: status, headers: [HeaderField("Tus-Resumable", "1.0.0")] + offsetField + more,
            effectiveURL: "http://example.org/files")
    }
}

extension EngineEvent {
    /// Returns the end of an exchange with a response after the whole source was sent.
    static func ended(_ head: ResponseHead, body: [UInt8] = [], bytesSent: Int64 = 1_000) -> EngineEvent {
        .exchangeEnded(ExchangeOutcome(ending: .responded, head: head, body: body, bytesSent: bytesSent))
    }

    static func broke(
        _ code: FailureCode, head: ResponseHead? = nil, requestLeft: Bool = true, bytesSent: Int64 = 0
    ) -> EngineEvent {
        .exchangeEnded(
            ExchangeOutcome(
                ending: .broke(TransferFailure(code, "It broke.")), head: head, isBodyTruncated: head != nil,
                requestLeft: requestLeft, bytesSent: bytesSent))
    }

    static func written(_ length: Int64, complete: Bool) -> EngineEvent {
        let ending: ExchangeOutcome.Ending =
            complete ? .responded : .broke(TransferFailure(.connectionLost, "It broke."))
        return .exchangeEnded(
            ExchangeOutcome(ending: ending, head: .file(), disposition: .written(length: length, isComplete: complete)))
    }

    static func held(_ length: Int64) -> EngineEvent {
        .exchangeEnded(ExchangeOutcome(ending: .responded, head: .file(), disposition: .held(length: length)))
    }

    static func refused(_ refusal: DownloadVerdict.Refusal, _ head: ResponseHead = .ok(416)) -> EngineEvent {
        .exchangeEnded(ExchangeOutcome(ending: .responded, head: head, disposition: .refused(refusal)))
    }
}

extension [TransferAction] {
    /// The exchange that is started, if any.
    var exchange: ExchangePlan? {
        for case .start(.exchange(let plan)) in self { return plan }
        return nil
    }

    var placement: PlacePlan? {
        for case .start(.files(.place(let plan))) in self { return plan }
        return nil
    }
}
