/// The rules of one HTTP exchange, including redirects: the next request, how much of its body may be sent, the use of a response's
/// body, and the outcome.
///
/// It holds no connection and no file, and transfers no bytes. An engine reports events to it and carries out its decisions.
package struct ExchangeMachine {
    let sink: SinkPlan
    var redirects: Redirects

    package internal(set) var phase = Phase.heldBack
    /// Why the engine aborts the current request, if it does.
    package var stop: Stop?

    package private(set) var url: TransferURL
    package private(set) var method: String
    /// The length of the request's body; `nil` if there is none.
    package private(set) var bodyLength: Int64?
    /// The number of redirects followed.
    package var hops: Int { redirects.hops }
    package private(set) var hold: BodyHold
    /// Whether the server has refused the body while the engine was sending it: no more of it is sent.
    var isUnwanted = false
    private var expectation = ContinueExpectation.untried

    /// The final response's headers.
    package internal(set) var head: ResponseHead?
    /// Why a download does not use the response's body.
    var refusal: DownloadVerdict.Refusal?
    /// The kept part of a response's body.
    package var kept = KeptBody()

    package init(_ plan: ExchangePlan, url: TransferURL) {
        sink = plan.sink
        redirects = Redirects(plan)
        self.url = url
        method = plan.method
        bodyLength = plan.body?.length
        hold = plan.body?.holdsLastBytes == true ? .armed : .free
    }

    /// The phase of an exchange.
    package enum Phase {
        /// Nothing is connected: an empty body waits for permission, another exchange goes first, or the proxy is being
        /// determined.
        case heldBack
        /// A request is being sent, or its response is being received.
        case asking(Reception)
        /// The held response has no body; the permission to write from the start still decides.
        case heldAtEnd(ExchangeOutcome, bodyLength: Int64?)
        /// Only the partial file's last bytes are unwritten.
        case settling(ExchangeOutcome)
        /// Its own range of a file is complete, and other connections continue.
        case parked

        /// Whether more bytes may arrive.
        package var isAtWork: Bool {
            switch self {
            case .heldBack, .asking: true
            case .heldAtEnd, .settling, .parked: false
            }
        }
    }

    /// The use of a response's body.
    package enum Reception {
        case awaitingHead
        /// It is discarded; then the next request is made.
        case redirecting(NextRequest)
        case keeping(limit: Int)
        /// The body of a refusal: a limited part is kept for a limited time, because its length may be wrong.
        case keepingRefusal(limit: Int, until: Int64)
        /// A whole new body, held until it may be written from the start.
        case held(bodyLength: Int64?)
        /// It is written to the partial file, or compared with the file's end.
        case filling
    }

    package struct NextRequest {
        var url: TransferURL
        var method: String
        var dropsSecrets = false
        var isRedirect = true
    }

    /// Why the engine aborted a request.
    package enum Stop {
        case failure(TransferFailure)
        case overlapDiffers
        /// Enough was read.
        case enough
        case cancelled
    }

    /// The part of a request's body that may be sent.
    package enum BodyHold {
        case free
        /// All but the last bytes, which are held back until the loop has noted that they may be sent.
        case armed
        /// Everything else has been sent.
        case held
        /// The last bytes may be sent.
        case released
    }

    /// `Expect: 100-continue`, which some servers refuse.
    private enum ContinueExpectation {
        case untried
        case sent
        case refused
    }
}

// The request.
extension ExchangeMachine {
    /// How much of a body's end is held back, in bytes.
    package static let heldLength: Int64 = 64 << 10
    /// Longer bodies use `Expect: 100-continue` (RFC 9110, section 10.1.1).
    private static let expectThreshold: Int64 = 64 << 10

    /// Returns whether the first request may be sent. Otherwise `EngineEvent.lastBytesHeld` must be sent: with an empty body only
    /// the whole request can be held back.
    package mutating func begin() -> Bool {
        guard hold == .armed, bodyLength == 0 else { return true }
        hold = .held
        return false
    }

    /// A request is being sent.
    package mutating func beginRequest() {
        phase = .asking(.awaitingHead)
        isUnwanted = false
    }

    /// It could not be sent yet, or not at all.
    package mutating func holdBack() { phase = .heldBack }

    /// Its own range is complete.
    package mutating func park() { phase = .parked }

    /// Returns whether the request expects 100 (Continue) before it sends its body, and notes that.
    package mutating func expectsContinue() -> Bool {
        guard let bodyLength, bodyLength > Self.expectThreshold, expectation != .refused else { return false }
        expectation = .sent
        return true
    }

    /// The offset up to which the body may be sent.
    package var sendable: Int64 {
        let length = bodyLength ?? 0
        return withholdsEnd ? length - min(Self.heldLength, length) : length
    }

    /// Whether the last bytes wait for permission.
    private var withholdsEnd: Bool { hold == .armed || hold == .held }

    /// All but the last bytes have been sent. Returns whether to report that (`EngineEvent.lastBytesHeld`).
    package mutating func hasSentSendable() -> Bool {
        guard hold == .armed else { return false }
        hold = .held
        return true
    }

    /// The effect of the permission to send the last bytes.
    package enum Release {
        case sendRequest
        case resume
        /// They must not be sent, or the response arrived before the permission.
        case nothing
    }

    package mutating func release() -> Release {
        guard hold == .held else { return .nothing }
        hold = .released
        switch phase {
        case .heldBack: return .sendRequest
        case .asking: return .resume
        case .heldAtEnd, .settling, .parked: return .nothing
        }
    }

    /// Whether a refusal arrived before the permission to send the last bytes, or while the engine was sending: the rest is no
    /// longer sent. After a success the rest is sent.
    package var hasStoppedSending: Bool {
        guard let head, head.status >= 300 else { return false }
        return withholdsEnd || isUnwanted
    }
}

// The next request, after a redirect, a challenge, or a refused expectation.
extension ExchangeMachine {
    /// The differences of the next request.
    package struct Following {
        /// It goes to another origin.
        package var dropsSecrets: Bool
        package var dropsBody: Bool
    }

    /// Continues with the request that follows the response; `nil` if there is none, or something else ended it.
    package mutating func follow() -> Following? {
        guard case .asking(.redirecting(let next)) = phase, endsByItself else { return nil }
        let dropsBody = next.method != method && bodyLength != nil
        if next.isRedirect { redirects.hops += 1 }
        if dropsBody { bodyLength = nil }
        if bodyLength == nil { hold = .free }
        url = next.url
        method = next.method
        head = nil
        stop = nil
        return Following(dropsSecrets: next.dropsSecrets, dropsBody: dropsBody)
    }

    /// Records why the cookies of the response could not be saved; `nil` if they were. A request that failed otherwise keeps its failure.
    package mutating func recordSavedCookies(_ failure: TransferFailure?, isClean: Bool) {
        guard let failure, endsByItself, isClean || stop != nil else { return }
        stop = .failure(failure)
    }

    /// Whether only the response ended the request.
    private var endsByItself: Bool {
        switch stop {
        case nil, .enough: true
        case .failure, .overlapDiffers, .cancelled: false
        }
    }

    /// Returns the same request again, which does not count as a redirect.
    func sameRequest() -> NextRequest { NextRequest(url: url, method: method, isRedirect: false) }

    /// Repeats on a new connection: it is unknown whether the server still reads the body on this one, and libcurl would guess (RFC
    /// 9110, section 10.1.1).
    mutating func repeatWithoutExpecting(after head: ResponseHead) -> Bool {
        guard head.status == 417, bodyLength != nil, expectation == .sent, hold != .released else { return false }
        expectation = .refused
        phase = .asking(.redirecting(sameRequest()))
        stop = .enough
        return true
    }
}
