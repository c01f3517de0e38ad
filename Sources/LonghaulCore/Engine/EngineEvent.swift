/// What the engine tells the loop about a job.
package enum EngineEvent: Equatable, Sendable {
    /// A download's body arrives, and what the partial file held beyond the point where it goes on is cut off. A
    /// small body, which is written at its end in one go, is not announced: the ending event carries its head.
    case receiving(ResponseHead)
    /// A resumed download was answered with a whole new body, which is held until `.writeFromStart` or `.writeBeside`: that what is
    /// there counts for nothing must be on disk before it is cut off. `receiving` follows.
    case head(ResponseHead)
    /// All but the last bytes of the body are out, and wait for `.sendRest`.
    case lastBytesHeld
    /// The body has left completely and no final response has come yet.
    case bodySent
    /// The exchange has moved as many bytes as it may, and waits for `setAllowance`.
    case allowanceUsed
    /// Whether exchanges with the host of the plan's URL can share a connection (HTTP/2, HTTP/3): each
    /// final response tells, but for one of plain HTTP, of which nothing else is to be expected.
    case sharesConnections(Bool)
    /// The partial file is on stable storage up to this length.
    case checkpoint(Int64)
    /// These ranges of the partial file are on stable storage. Before the first such word the file has no holes; it gets some
    /// only after `.openSegments`, since their being there must be on disk before.
    case parts(SegmentMap)
    /// What connections with further places of the file have brought since the last word (`PartialPlan.mirrors`). `parts`, or
    /// the end, follows, which counts these bytes as well.
    case places([MirrorBoard.News])
    /// The exchange would use so many connections in all, or no more than so many: see `ExchangeEngine.setConnections`.
    case connectionsWanted(Int)
    /// What was asked and what was answered, in lines, where that is to be kept (`NetworkOptions.keepsHeaders`).
    case heads(String)
    indirect case exchangeEnded(ExchangeOutcome)
    /// One entry for each path, in order; a failure for one that cannot be looked at.
    case sourcesInspected([Result<SourcePin, TransferFailure>])
    /// `nil` when there is no partial file. A failure when the directory cannot be written.
    case partialMeasured(Result<Int64?, TransferFailure>)
    /// What of a file's pieces is good.
    case piecesChecked(Result<PieceReport, TransferFailure>)
    /// The finished file. Failures: `digestMismatch`, `lengthMismatch`, `destinationExists`, `diskFull`, `fileFailed` …
    case placed(Result<PlacedFile, TransferFailure>)
    case discarded(Result<Void, TransferFailure>)

    package static func == (left: EngineEvent, right: EngineEvent) -> Bool {
        switch (left, right) {
        case (.receiving(let a), .receiving(let b)): a == b
        case (.head(let a), .head(let b)): a == b
        case (.lastBytesHeld, .lastBytesHeld): true
        case (.bodySent, .bodySent): true
        case (.allowanceUsed, .allowanceUsed): true
        case (.sharesConnections(let a), .sharesConnections(let b)): a == b
        case (.checkpoint(let a), .checkpoint(let b)): a == b
        case (.parts(let a), .parts(let b)): a == b
        case (.places(let a), .places(let b)): a == b
        case (.connectionsWanted(let a), .connectionsWanted(let b)): a == b
        case (.heads(let a), .heads(let b)): a == b
        case (.exchangeEnded(let a), .exchangeEnded(let b)): a == b
        case (.sourcesInspected(let a), .sourcesInspected(let b)): a == b
        case (.partialMeasured(let a), .partialMeasured(let b)): a == b
        case (.piecesChecked(let a), .piecesChecked(let b)): a == b
        case (.placed(let a), .placed(let b)): a == b
        case (.discarded(.success), .discarded(.success)): true
        case (.discarded(.failure(let a)), .discarded(.failure(let b))): a == b
        default: false
        }
    }

    /// The event without what it carries, which may hold secrets.
    var name: String {
        switch self {
        case .receiving: "receiving"
        case .head: "head"
        case .lastBytesHeld: "lastBytesHeld"
        case .bodySent: "bodySent"
        case .allowanceUsed: "allowanceUsed"
        case .sharesConnections: "sharesConnections"
        case .checkpoint: "checkpoint"
        case .parts: "parts"
        case .places: "places"
        case .connectionsWanted: "connectionsWanted"
        case .heads: "heads"
        case .exchangeEnded: "exchangeEnded"
        case .sourcesInspected: "sourcesInspected"
        case .partialMeasured: "partialMeasured"
        case .piecesChecked: "piecesChecked"
        case .placed: "placed"
        case .discarded: "discarded"
        }
    }

    /// Whether it is the job's last event.
    package var isEnding: Bool {
        switch self {
        case .receiving, .head, .lastBytesHeld, .bodySent, .allowanceUsed, .sharesConnections, .checkpoint, .parts,
            .places, .connectionsWanted, .heads:
            false
        case .exchangeEnded, .sourcesInspected, .partialMeasured, .piecesChecked, .placed, .discarded: true
        }
    }
}

/// The final response's status line and fields.
package struct ResponseHead: Equatable, Sendable {
    package var status: Int
    package var headers: [HeaderField]
    /// The URL that answered, after redirects.
    package var effectiveURL: String

    package init(status: Int, headers: [HeaderField], effectiveURL: String) {
        self.status = status
        self.headers = headers
        self.effectiveURL = effectiveURL
    }

    /// Whether the server has shown that it can send a part of the file.
    package var servesRanges: Bool {
        status == 206 || headers.all("Accept-Ranges").contains { $0.lowercased() == "bytes" }
    }

    /// Whether the server did what was asked.
    package var isSuccess: Bool { (200..<300).contains(status) }
}

/// How an exchange ended.
package struct ExchangeOutcome: Equatable, Sendable {
    package enum Ending: Equatable, Sendable {
        /// A final response came and was read as far as wanted.
        case responded
        /// `cancel` was called.
        case cancelled
        /// It broke; `head` may still be there when the break came after it.
        case broke(TransferFailure)
    }

    package enum Disposition: Equatable, Sendable {
        /// No body was wanted or kept (see `body`).
        case none
        /// The body went to the partial file, which now ends at `length`; `isComplete` when every announced byte came.
        case written(length: Int64, isComplete: Bool)
        /// All of a small body came and is in the engine's memory: `place` with its partial file's path writes it. Nothing is
        /// in that file that belongs to it, so it is lost when the process ends.
        case held(length: Int64)
        /// The overlap differs from the file: another version. Nothing was written.
        case overlapDiffers
        /// `DownloadJudge` refused the head.
        case refused(DownloadVerdict.Refusal)
    }

    package var ending: Ending
    package var head: ResponseHead?
    /// The kept body, for `SinkPlan.memory`, and the first bytes of a refused one.
    package var body: [UInt8]
    package var isBodyTruncated: Bool
    package var disposition: Disposition
    /// Whether any byte of the last request may have reached the wire.
    package var requestLeft: Bool
    /// Bytes of the request body handed to the network.
    package var bytesSent: Int64
    /// Bytes of the response body received, whatever became of them.
    package var bytesReceived: Int64
    /// Whether all of a request that must not be repeated may be at a server although nothing was answered: of an engine that does not
    /// hold its last bytes back. With one that does, the record says it (`awaitingResponse`).
    package var mayHaveArrived: Bool
    /// Whether nothing marked the end of the body, so that a part of it may be missing: it had no length, and the connection or the
    /// stream just ended.
    package var endsUnverified = false

    package init(
        ending: Ending, head: ResponseHead? = nil, body: [UInt8] = [], isBodyTruncated: Bool = false,
        disposition: Disposition = .none, requestLeft: Bool = true, bytesSent: Int64 = 0, bytesReceived: Int64 = 0,
        mayHaveArrived: Bool = false
    ) {
        self.ending = ending
        self.head = head
        self.body = body
        self.isBodyTruncated = isBodyTruncated
        self.disposition = disposition
        self.requestLeft = requestLeft
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.mayHaveArrived = mayHaveArrived
    }
}
