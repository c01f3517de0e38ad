// The meaning of a response.
extension ExchangeMachine {
    /// How much of an unneeded body is read, in bytes, so that the connection can be reused.
    package static let dropLimit = 64 << 10
    /// Time to wait for the body of a refusal, in nanoseconds: the status is known already.
    private static let refusalTime: Int64 = 2_000_000_000

    /// The engine's view of a response when its headers arrive.
    package struct HeadContext {
        /// Monotonic nanoseconds.
        package var now: Int64
        /// Whether other exchanges share the connection, so that the stream can end without the connection.
        package var isShared: Bool
        /// Whether the whole request body was handed to the connection.
        package var hasGivenAll: Bool

        package init(now: Int64, isShared: Bool, hasGivenAll: Bool) {
            self.now = now
            self.isShared = isShared
            self.hasGivenAll = hasGivenAll
        }
    }

    /// The engine's reaction to a response.
    package enum Answer: Equatable {
        /// No action: it reads on as `phase` says, or ends as `stop` says.
        case nothing
        /// Sends `EngineEvent.head`; the body waits.
        case report(ResponseHead)
        /// Writes the body to the partial file.
        case write(from: Int64, bodyLength: Int64?)
        /// Compares the first bytes with the end of the partial file, then writes.
        case compare(from: Int64, overlap: Int64, bodyLength: Int64?)
    }

    /// Accepts the headers of a final response. Returns `false` if they need no further processing: the request is repeated or has
    /// failed.
    package mutating func receive(_ head: ResponseHead) -> Bool {
        if repeatWithoutExpecting(after: head) { return false }
        if hasBody(head), head.announcesNoUsableLength {
            // An engine would use one of them. Anything may follow, so this is not a valid response.
            stop = .failure(
                TransferFailure(
                    .protocolViolation,
                    "\(url.site) sent a contradictory Content-Length. Report it to its operator."))
            return false
        }
        self.head = head
        return true
    }

    /// RFC 9112, section 6.3, rules 1 and 2.
    package func hasBody(_ head: ResponseHead) -> Bool {
        method != "HEAD" && head.status != 204 && head.status != 304
    }

    /// The engine itself sends the body, and would stall forever at a point where libcurl stops.
    package mutating func answeredWhileSending() {
        if let head, head.status >= 300 { isUnwanted = true }
    }

    /// Repeats the request, with an answer to the refusal's challenge.
    package mutating func answerChallenge() {
        phase = .asking(.redirecting(sameRequest()))
        // The rest of a body does not belong to this request.
        if bodyLength != nil { stop = .enough }
    }

    /// Decides about the accepted headers.
    package mutating func decide(_ sight: HeadContext) -> Answer {
        guard let head else { return .nothing }
        redirects.noteCookies(of: head)
        let decision = RedirectRule.decide(
            status: head.status, location: head.headers.single("Location"), from: url,
            followsOnlyRepeating: redirects.followsOnlyRepeating, method: method, hasBody: bodyLength != nil,
            hops: hops, limit: redirects.limit, losesCookies: redirects.loseCookies)
        switch decision {
        case .notARedirect: return use(head, sight.now)
        case .follow(let url, let method, let dropsSecrets):
            redirects.facts.collect(from: head)
            phase = .asking(.redirecting(NextRequest(url: url, method: method, dropsSecrets: dropsSecrets)))
            // Ending a stream costs its connection nothing, and libcurl 8.14 does not end a stream whose body is held.
            if sight.isShared, !sight.hasGivenAll { stop = .enough }
        case .refuse(let failure): stop = .failure(failure)
        }
        return .nothing
    }

    private mutating func use(_ head: ResponseHead, _ now: Int64) -> Answer {
        let deadline = now + Self.refusalTime
        switch sink {
        case .memory(let limit):
            phase = .asking(
                head.status < 300 ? .keeping(limit: limit) : .keepingRefusal(limit: limit, until: deadline))
            return .nothing
        case .partial(let partial): return fill(partial, redirects.facts.joined(to: head), deadline)
        }
    }

    private mutating func fill(_ partial: PartialPlan, _ head: ResponseHead, _ deadline: Int64) -> Answer {
        guard let head = partial.seen(head) else {
            stop = .failure(
                TransferFailure(
                    .protocolViolation, "\(url.site) does not support ranges for this file. Remove the range."))
            return .nothing
        }
        self.head = head
        switch DownloadRule.decide(head: head, resume: partial.resume) {
        case .write(let start, let bodyLength):
            phase = .asking(.filling)
            return .write(from: start, bodyLength: bodyLength)
        case .compareThenWrite(let from, let overlap, let bodyLength):
            phase = .asking(.filling)
            return .compare(from: from, overlap: overlap, bodyLength: bodyLength)
        case .holdForRestart(let bodyLength):
            phase = .asking(.held(bodyLength: bodyLength))
            return .report(head)
        case .refuse(let refusal):
            self.refusal = refusal
            phase = .asking(.keepingRefusal(limit: Self.dropLimit, until: deadline))
            return .nothing
        }
    }
}

/// The kept part of a response's body, up to a limit.
package struct KeptBody {
    package private(set) var bytes: [UInt8] = []
    /// Whether more was received.
    package private(set) var isTruncated = false

    package mutating func keep(_ bytes: UnsafeRawBufferPointer, limit: Int) {
        let wanted = bytes.prefix(max(limit - self.bytes.count, 0))
        self.bytes.append(contentsOf: wanted)
        if wanted.count < bytes.count { isTruncated = true }
    }
}
