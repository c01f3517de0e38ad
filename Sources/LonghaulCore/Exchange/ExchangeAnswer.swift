// What an answer means.
extension ExchangeMachine {
    /// How much of a body that is not wanted is read, so that the connection can be used again, in bytes.
    package static let dropLimit = 64 << 10
    /// How long a refusal's body is waited for, in nanoseconds: what counts is known already.
    private static let refusalTime: Int64 = 2_000_000_000

    /// What an engine sees of a response as its head comes.
    package struct Sight {
        /// Monotonic nanoseconds.
        package var now: Int64
        /// Whether the connection carries others as well, so that its stream can end and the connection live on.
        package var isShared: Bool
        /// Whether all of the request's body has been given to the connection.
        package var hasGivenAll: Bool

        package init(now: Int64, isShared: Bool, hasGivenAll: Bool) {
            self.now = now
            self.isShared = isShared
            self.hasGivenAll = hasGivenAll
        }
    }

    /// What an engine does about a response.
    package enum Answer: Equatable {
        /// What it does by itself: it reads on as far as `phase` says, or ends as `stop` says.
        case nothing
        /// Tells `EngineEvent.head`; the body waits.
        case tell(ResponseHead)
        /// Writes the body to the partial file.
        case write(from: Int64, bodyLength: Int64?)
        /// Compares the first bytes with the end of the partial file, then writes.
        case compare(from: Int64, overlap: Int64, bodyLength: Int64?)
    }

    /// Takes a final head. `false` when it is not to be looked at further: the request is repeated, or broken.
    package mutating func take(_ head: ResponseHead) -> Bool {
        if repeatWithoutExpecting(after: head) { return false }
        if hasBody(head), head.announcesNoUsableLength {
            // An engine believes one of them. What follows may be anything, so that this is no response.
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

    /// The engine itself is sending the body, and would rest for ever where libcurl stops by itself.
    package mutating func answeredWhileSending() {
        if let head, head.status >= 300 { isUnwanted = true }
    }

    /// Asks once more, with an answer to the refusal's challenge.
    package mutating func answerChallenge() {
        phase = .asking(.redirecting(sameRequest()))
        // What is left of a body is not for this request.
        if bodyLength != nil { stop = .enough }
    }

    /// Decides about the head that was taken.
    package mutating func decide(_ sight: Sight) -> Answer {
        guard let head else { return .nothing }
        let decision = RedirectRule.decide(
            status: head.status, location: head.headers.single("Location"), from: url,
            followsOnlyRepeating: redirects.followsOnlyRepeating, method: method, hasBody: bodyLength != nil,
            hops: hops, limit: redirects.limit)
        switch decision {
        case .notARedirect: return use(head, sight.now)
        case .follow(let url, let method, let dropsSecrets):
            redirects.facts.collect(from: head)
            phase = .asking(.redirecting(NextRequest(url: url, method: method, dropsSecrets: dropsSecrets)))
            // To end a stream costs its connection nothing, and libcurl 8.14 does not end one whose body is held.
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
        switch DownloadJudge.judge(head: head, resume: partial.resume) {
        case .write(let start, let bodyLength):
            phase = .asking(.filling)
            return .write(from: start, bodyLength: bodyLength)
        case .compareThenWrite(let from, let overlap, let bodyLength):
            phase = .asking(.filling)
            return .compare(from: from, overlap: overlap, bodyLength: bodyLength)
        case .holdForRestart(let bodyLength):
            phase = .asking(.held(bodyLength: bodyLength))
            return .tell(head)
        case .refuse(let refusal):
            self.refusal = refusal
            phase = .asking(.keepingRefusal(limit: Self.dropLimit, until: deadline))
            return .nothing
        }
    }
}

/// What is kept of a response's body, up to a limit.
package struct KeptBody {
    package private(set) var bytes: [UInt8] = []
    /// Whether more came.
    package private(set) var isTruncated = false

    package mutating func keep(_ bytes: UnsafeRawBufferPointer, limit: Int) {
        let wanted = bytes.prefix(max(limit - self.bytes.count, 0))
        self.bytes.append(contentsOf: wanted)
        if wanted.count < bytes.count { isTruncated = true }
    }
}
