/// An event of a job, sent from the engine to the loop.
package enum EngineEvent: Equatable, Sendable {
    /// A download's body is arriving, and the partial file was truncated at the offset of the resumption. A small body, which is
    /// written at its end, is not announced: the ending event carries its headers.
    case receiving(ResponseHead)
    /// The server answered a resumed download with a whole new body. The engine holds the body until `.writeFromStart` or
    /// `.writeBeside`, because the record must reject the old bytes before they are truncated. `receiving` follows.
    case head(ResponseHead)
    /// All but the last bytes of the body have been sent; the exchange waits for `.sendRest`.
    case lastBytesHeld
    /// The whole body has been sent, but no final response has arrived yet.
    case bodySent
    /// The exchange has used its allowance and waits for `setAllowance`.
    case allowanceUsed
    /// Whether exchanges with the host of the plan's URL can share a connection (HTTP/2, HTTP/3). Each final response sends it,
    /// except those of plain HTTP, which never can.
    case sharesConnections(Bool)
    /// The partial file is on stable storage up to this length.
    case checkpoint(Int64)
    /// These ranges of the partial file are on stable storage. The file has no holes before the first such event, and gets them
    /// only after `.openSegments`, because the record must note them first.
    case parts(SegmentMap)
    /// Progress of connections to further mirrors since the last such event (`PartialPlan.mirrors`). `parts` or the end follows,
    /// and counts these bytes too.
    case places([MirrorSelector.Statistics])
    /// The total number of connections that the exchange would use, at most: see `ExchangeEngine.setConnections`.
    case connectionsWanted(Int)
    /// The request and response headers, one per line, if they are kept (`NetworkOptions.keepsHeaders`).
    case heads(String)
    indirect case exchangeEnded(ExchangeOutcome)
    /// One entry for each path, in order; a failure for a file that cannot be inspected.
    case sourcesInspected([Result<SourcePin, TransferFailure>])
    /// `nil` if there is no partial file; a failure if the directory cannot be written.
    case partialMeasured(Result<Int64?, TransferFailure>)
    /// The valid pieces of a file.
    case piecesChecked(Result<PieceReport, TransferFailure>)
    /// The finished file. Failures: `digestMismatch`, `lengthMismatch`, `destinationExists`, `diskFull`, `fileFailed` …
    case placed(Result<PlacedFile, TransferFailure>)
    /// `nil` if the files are gone.
    case discarded(TransferFailure?)

    /// The event without its values, which may hold secrets.
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

/// The final response's status line and headers.
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

    /// Whether the server has shown that it can send part of the file.
    package var servesRanges: Bool {
        status == 206 || headers.all("Accept-Ranges").contains { $0.lowercased() == "bytes" }
    }

    /// Whether the server fulfilled the request.
    package var isSuccess: Bool { (200..<300).contains(status) }
}

/// How an exchange ended.
package struct ExchangeOutcome: Equatable, Sendable {
    package enum Ending: Equatable, Sendable {
        /// A final response arrived and was read as far as needed.
        case responded
        /// `cancel` was called.
        case cancelled
        /// It failed; `head` may be set if the failure came after it.
        case broke(TransferFailure)
    }

    package enum Disposition: Equatable, Sendable {
        /// No body was needed or kept (see `body`).
        case none
        /// The body was written to the partial file, which now ends at `length`; `isComplete` if every announced byte arrived.
        case written(length: Int64, isComplete: Bool)
        /// The whole of a small body is in the engine's memory, and a `place` with its partial file's path writes it. Nothing
        /// is in that file yet, so the body is lost if the process ends.
        case held(length: Int64)
        /// The overlap differs from the file: the server has another version. Nothing was written.
        case overlapDiffers
        /// The file has parts from different responses that differ where they meet. Only its first `length` bytes are of one response.
        case partsDiffer(length: Int64)
        /// `DownloadRule` refused the response.
        case refused(DownloadVerdict.Refusal)
    }

    package var ending: Ending
    package var head: ResponseHead?
    /// The kept body, for `SinkPlan.memory`, or the first bytes of a refused one.
    package var body: [UInt8]
    package var isBodyTruncated: Bool
    package var disposition: Disposition
    /// Whether any byte of the last request may have been sent.
    package var requestLeft: Bool
    /// Bytes of the request body handed to the network.
    package var bytesSent: Int64
    /// Bytes of the response body received, used or not.
    package var bytesReceived: Int64
    /// Whether a server may have received a whole request that must not be repeated, without answering. For engines that do not
    /// hold back the last bytes; otherwise the record's state says it (`awaitingResponse`).
    package var mayHaveArrived: Bool
    /// Whether the engine never sent part of the last request's body, so that no server has the whole request.
    package var withheldBody = false
    /// Whether the body had no length and no end marker, so that part of it may be missing: the connection or the stream just
    /// ended.
    package var endsUnverified = false
    /// Whether the server refused further connections for parts of the file, or sent something else.
    package var refusesParts = false
    /// Why the system ended the exchange together with the app.
    package var lossReason: OwnerLossReason?

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
