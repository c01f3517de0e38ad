package import LonghaulCore

/// The record of an exchange, written before the system gets it and again when it has ended. Another process may have
/// to interpret the result, and the end is reported only once.
struct ExchangeNote: Equatable {
    var method = ""
    /// Whether its request must not be repeated.
    var isOnceOnly = false
    /// The file for a download's bytes; `nil` if the response is kept in memory.
    var partialPath: String?
    var resume: ResumePoint?
    /// Whether the transfer or the server has stated a digest of the file.
    var isProvenByDigest = false
    var responseLimit = 0
    var bodyLength: Int64?
    /// Whether its task continues an earlier one with resume data of the system.
    var usesResumeData = false
    /// The headers of a download whose file the system has delivered.
    var head: ResponseHead?
    /// How the exchange ended, until the loop has committed that.
    var outcome: ExchangeOutcome?

    private init() {}

    init(_ plan: ExchangePlan) {
        method = plan.method
        isOnceOnly = plan.body?.holdsLastBytes ?? false
        bodyLength = plan.body?.length
        switch plan.sink {
        case .memory(let limit): responseLimit = limit
        case .partial(let partial):
            (partialPath, resume) = (partial.path, partial.resume)
            isProvenByDigest = partial.mirrors.isProvenByDigest
            responseLimit = 64 << 10
        }
    }
}

extension ExchangeNote: WireRecord {
    static let blank = Self()

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&method, 1)
        try wire.flag(&isOnceOnly, 2)
        try wire.text(&partialPath, 3, isPath: true)
        try wire.message(&resume, 4)
        try wire.count(&responseLimit, 5)
        try wire.length(&bodyLength, 6)
        try wire.message(&head, 7)
        try wire.message(&outcome, 8)
        try wire.flag(&usesResumeData, 12)
        try wire.flag(&isProvenByDigest, 13)
    }
}

extension ResumePoint: WireRecord {
    package static var blank: Self { Self(length: 0, overlap: 0, validators: .blank) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.length(&length, 1)
        try wire.length(&overlap, 2)
        try wire.required(&validators, 3)
        try wire.length(&end, 4)
        try wire.message(&map, 5)
        try wire.message(&age, 6)
    }

    package func complete() throws(WireError) {
        guard overlap <= length else { throw .unknownValue }
    }
}

extension FileAge: WireRecord {
    package static var blank: Self { Self(begunAt: nil, modifiedAt: WallTime(microseconds: 0)) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.time(&begunAt, 1)
        try wire.time(&modifiedAt, 2)
    }
}

extension ResponseHead: WireRecord {
    package static var blank: Self { Self(status: 0, headers: [], effectiveURL: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.count(&status, 1)
        try wire.messages(&headers, 2)
        try wire.text(&effectiveURL, 3)
    }
}

extension ExchangeOutcome: WireRecord {
    package static var blank: Self { Self(ending: .responded, requestLeft: false) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&ending, 1)
        try wire.message(&head, 2)
        try wire.data(&body, 3)
        try wire.flag(&isBodyTruncated, 4)
        try wire.required(&disposition, 5)
        try wire.flag(&requestLeft, 6)
        try wire.length(&bytesSent, 7)
        try wire.length(&bytesReceived, 8)
        try wire.flag(&mayHaveArrived, 9)
        try wire.choice(&lossReason, 10)
    }
}

extension ExchangeOutcome.Ending: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.empty(&value, 1, .responded)
        try wire.empty(&value, 2, .cancelled)
        try wire.message(&value, 3, Self.broke) { if case .broke(let failure) = $0 { failure } else { nil } }
    }
}

extension ExchangeOutcome.Disposition: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        // Bytes in memory only are lost when this is read.
        if case .held = value { value = Self.none }
        // This engine uses one connection for each file.
        if case .partsDiffer = value { value = Self.none }
        try wire.empty(&value, 1, Self.none)
        try wire.message(&value, 2, { Self.written(length: $0.length, isComplete: $0.isComplete) }) {
            if case .written(let length, let isComplete) = $0 {
                WrittenBody(length: length, isComplete: isComplete)
            } else {
                nil
            }
        }
        try wire.empty(&value, 3, .overlapDiffers)
        try wire.message(&value, 4, Self.refused) { if case .refused(let refusal) = $0 { refusal } else { nil } }
    }
}

/// The payload of `written`.
private struct WrittenBody: WireRecord {
    static let blank = Self(length: 0, isComplete: false)

    var length: Int64
    var isComplete: Bool

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.length(&length, 1)
        try wire.flag(&isComplete, 2)
    }
}

/// The payload of `unproved`.
private struct UnprovedFile: WireRecord {
    static let blank = Self(doubt: .noRanges)

    var doubt: ContinuationDoubt

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.choice(&doubt, 1)
    }
}

extension DownloadVerdict.Refusal: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.empty(&value, 1, .alreadyComplete)
        try wire.empty(&value, 2, .changed)
        try wire.text(&value, 3, Self.rangeUnusable) { if case .rangeUnusable(let why) = $0 { why } else { nil } }
        try wire.empty(&value, 4, .lengthUnknown)
        try wire.empty(&value, 5, .status)
        try wire.message(&value, 6, { Self.unproved($0.doubt) }) {
            if case .unproved(let doubt) = $0 { UnprovedFile(doubt: doubt) } else { nil }
        }
    }
}
