import LonghaulCore

/// Where the exchange is. Every exit leads through `settling` or straight to its end.
enum ExchangeStage {
    /// Nothing is connected: an empty body waits for `.sendRest`, another exchange goes first, or the proxy is found out.
    case heldBack
    /// libcurl is at work.
    case transferring(EasyHandle)
    /// The held response turned out to have no body; `.writeFromStart` still decides.
    case heldAtEnd(ExchangeOutcome)
    /// Only the partial file's last bytes are missing; the file is here until a worker has it.
    case settling(ExchangeOutcome, PartialFile?)
    /// Its own range is over, and others go on for it.
    case parked

    /// Whether bytes may still come.
    var isAtWork: Bool {
        switch self {
        case .heldBack, .transferring: true
        case .heldAtEnd, .settling, .parked: false
        }
    }
}

/// What becomes of the response.
enum ExchangeReception {
    case awaitingHead
    /// The body of this response is dropped; then the next request is made.
    case redirecting(NextRequest)
    case keeping(limit: Int)
    /// The body of a refusal: a little of it is kept for a little time, since its length may be a lie.
    case keepingRefusal(limit: Int, until: Int64)
    /// A whole new body, held until `.writeFromStart`.
    case held(bodyLength: Int64?)
    case comparing(Comparison)
    case writing(PartialFile)

    struct NextRequest {
        var url: TransferURL
        var method: String
        var dropsSecrets: Bool
    }
}

/// Why the engine itself ended the transfer.
enum ExchangeStop {
    case failure(TransferFailure)
    case overlapDiffers
    /// As much as is wanted was read.
    case enough
    case cancelled
}

/// The last bytes of the body: held back until the loop has noted that they may leave.
enum BodyHold {
    case none
    case armed
    case held
    case released
}

/// `Expect: 100-continue`, which some servers refuse.
enum ContinueExpectation {
    case untried
    case sent
    case refused
}
