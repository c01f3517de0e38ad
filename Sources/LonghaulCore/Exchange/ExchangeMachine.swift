/// One HTTP exchange as its rules see it, redirects included: which request comes next, how much of its body may leave, what an
/// answer's body is for, and how all of it ends.
///
/// It holds no connection and no file, and moves no byte. An engine tells it what came, and carries out what it answers.
package struct ExchangeMachine {
    let sink: SinkPlan
    var redirects: Redirects

    package internal(set) var phase = Phase.heldBack
    /// Why the engine itself ends the present request, if it does.
    package var stop: Stop?

    package private(set) var url: TransferURL
    package private(set) var method: String
    /// How long the request's body is; `nil` where there is none.
    package private(set) var bodyLength: Int64?
    /// How many redirects were followed.
    package var hops: Int { redirects.hops }
    package private(set) var hold: BodyHold
    /// Whether the server has refused the body while the engine itself was sending it: no more of it leaves.
    var isUnwanted = false
    private var expectation = ContinueExpectation.untried

    /// The final response's head.
    package internal(set) var head: ResponseHead?
    /// Why a download does not use the response's body.
    var refusal: DownloadVerdict.Refusal?
    /// What is kept of a response's body.
    package var kept = KeptBody()

    package init(_ plan: ExchangePlan, url: TransferURL) {
        sink = plan.sink
        redirects = Redirects(
            followsOnlyRepeating: plan.followsOnlyRepeatingRedirects, limit: plan.network.redirectLimit)
        self.url = url
        method = plan.method
        bodyLength = plan.body?.length
        hold = plan.body?.holdsLastBytes == true ? .armed : .free
    }

    /// Where an exchange is.
    package enum Phase {
        /// Nothing is connected: an empty body waits for the permission to leave, another exchange goes first, or the proxy is found
        /// out.
        case heldBack
        /// A request is on its way, or its answer is.
        case asking(Reception)
        /// The held answer turned out to have no body; the permission to write from the start still decides.
        case heldAtEnd(ExchangeOutcome, bodyLength: Int64?)
        /// Only the partial file's last bytes are missing.
        case settling(ExchangeOutcome)
        /// Its own range of a file is over, and others go on for it.
        case parked

        /// Whether bytes may still come.
        package var isAtWork: Bool {
            switch self {
            case .heldBack, .asking: true
            case .heldAtEnd, .settling, .parked: false
            }
        }
    }

    /// What an answer's body is for.
    package enum Reception {
        case awaitingHead
        /// It is dropped; then the next request is made.
        case redirecting(NextRequest)
        case keeping(limit: Int)
        /// The body of a refusal: a little of it is kept for a little time, since its length may be a lie.
        case keepingRefusal(limit: Int, until: Int64)
        /// A whole new body, held until it may be written from the start.
        case held(bodyLength: Int64?)
        /// It goes to the partial file, or is compared with the file's end.
        case filling
    }

    package struct NextRequest {
        var url: TransferURL
        var method: String
        var dropsSecrets = false
        var isRedirect = true
    }

    /// Why the engine itself ended a request.
    package enum Stop {
        case failure(TransferFailure)
        case overlapDiffers
        /// As much as is wanted was read.
        case enough
        case cancelled
    }

    /// What of a request's body may leave.
    package enum BodyHold {
        case free
        /// All but the last bytes, which are held back until the loop has noted that they may leave.
        case armed
        /// Only they are missing.
        case held
        /// They may leave.
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
    /// How much of a body is held back at its end, in bytes.
    package static let heldLength: Int64 = 64 << 10
    /// Bodies longer than this ask first (RFC 9110, section 10.1.1).
    private static let expectThreshold: Int64 = 64 << 10

    /// Whether the first request may leave. If not, `EngineEvent.lastBytesHeld` is to be told: nothing of an empty body can be held
    /// back but the whole request.
    package mutating func begin() -> Bool {
        guard hold == .armed, bodyLength == 0 else { return true }
        hold = .held
        return false
    }

    /// A request leaves.
    package mutating func ask() {
        phase = .asking(.awaitingHead)
        isUnwanted = false
    }

    /// It could not leave yet, or not at all.
    package mutating func holdBack() { phase = .heldBack }

    /// Its own range is over.
    package mutating func park() { phase = .parked }

    /// Whether the request asks before it sends its body. If so, this notes that it has asked.
    package mutating func expectsContinue() -> Bool {
        guard let bodyLength, bodyLength > Self.expectThreshold, expectation != .refused else { return false }
        expectation = .sent
        return true
    }

    /// Up to which byte the body may leave.
    package var sendable: Int64 {
        let length = bodyLength ?? 0
        return withholdsEnd ? length - min(Self.heldLength, length) : length
    }

    /// Whether the last bytes wait for leave.
    private var withholdsEnd: Bool { hold == .armed || hold == .held }

    /// All but the last bytes have left. Whether that is news (`EngineEvent.lastBytesHeld`).
    package mutating func hasSentSendable() -> Bool {
        guard hold == .armed else { return false }
        hold = .held
        return true
    }

    /// What the permission to send the last bytes leads to.
    package enum Release {
        case ask
        case goOn
        /// They may not leave, or the answer was there before the permission.
        case nothing
    }

    package mutating func release() -> Release {
        guard hold == .held else { return .nothing }
        hold = .released
        switch phase {
        case .heldBack: return .ask
        case .asking: return .goOn
        case .heldAtEnd, .settling, .parked: return .nothing
        }
    }

    /// Whether a refusal came before the permission to send the last bytes, or while the engine itself was sending: the
    /// rest is not sent any more. A success in that place wants the rest all the same.
    package var hasStoppedSending: Bool {
        guard let head, head.status >= 300 else { return false }
        return withholdsEnd || isUnwanted
    }
}

// The next one, after a redirect, a challenge or a refused expectation.
extension ExchangeMachine {
    /// How the next request differs from the last one.
    package struct Following {
        /// Another origin gets it.
        package var dropsSecrets: Bool
        package var dropsBody: Bool
    }

    /// Goes on to the request that the answer leads to; `nil` where it leads to none, or something else ended it.
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

    /// Whether nothing but the response itself ended the request.
    private var endsByItself: Bool {
        switch stop {
        case nil, .enough: true
        case .failure, .overlapDiffers, .cancelled: false
        }
    }

    /// The same request is made once more: that is no redirect, and counts as none.
    func sameRequest() -> NextRequest { NextRequest(url: url, method: method, isRedirect: false) }

    /// On a new connection: whether the server still reads the body on this one cannot be known, and libcurl, left to
    /// itself, guesses (RFC 9110, section 10.1.1).
    mutating func repeatWithoutExpecting(after head: ResponseHead) -> Bool {
        guard head.status == 417, bodyLength != nil, expectation == .sent, hold != .released else { return false }
        expectation = .refused
        phase = .asking(.redirecting(sameRequest()))
        stop = .enough
        return true
    }
}
