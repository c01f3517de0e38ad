import CCurl
import LonghaulCore
import Synchronization

extension Exchange {
    /// How much of a body that is not wanted is read, so that the connection can be used again.
    static let dropLimit = 64 << 10
    /// How long a refusal's body is waited for, in nanoseconds: what counts is known already.
    private static let refusalTime: Int64 = 2_000_000_000

    func headerArrived(_ line: UnsafeRawBufferPointer) -> Int {
        switch reception {
        case .awaitingHead: break
        // Trailers of a chunked body: nothing here depends on them.
        case .redirecting, .keeping, .keepingRefusal, .held, .comparing, .writing: return line.count
        }
        if body != nil, LibcurlFeature.isSeven, line.starts(with: "HTTP/2 2".utf8) { readOn() }
        switch collector.take(line) {
        case .more: return line.count
        case .complete(let status, let headers):
            if (100...199).contains(status) { return line.count }
            identity.cookies?.note(headers)
            if let heads = collector.takeHeads() { thread.emit(ticket, heads) }
            finalHeadArrived(ResponseHead(status: status, headers: headers, effectiveURL: url.text))
            return stop == nil ? line.count : 0
        case .tooLong: return abort("\(host) sent more than 256 KiB of header fields.")
        case .malformed: return abort("\(host) sent a response that is not HTTP.")
        }
    }

    /// When a success comes early on HTTP/2, libcurl 7.88 must go on reading until its stream ends, or it never hears how much more
    /// may be sent. It stops at the announced length if it has seen one; nghttp2 has compared it with the frames by then.
    private func readOn() {
        guard case .transferring(let easy) = stage else { return }
        easy.set(CURLOPT_IGNORE_CONTENT_LENGTH, 1)
    }

    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> Int {
        if hasUsedAllowance { return Int(CURL_WRITEFUNC_PAUSE) }
        let count = takeBody(bytes)
        if count != Int(CURL_WRITEFUNC_PAUSE) { given += Int64(count) }
        return count
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch reception {
        case .awaitingHead: return bytes.count
        case .redirecting: return drop(bytes)
        case .keeping(let limit): return keep(bytes, limit: limit)
        case .keepingRefusal(let limit, _): return keepRefusal(bytes, limit: limit)
        case .held: return Int(CURL_WRITEFUNC_PAUSE)
        case .comparing(let comparison): return compare(bytes, with: comparison)
        case .writing(let file): return write(bytes, to: file)
        }
    }

    private func finalHeadArrived(_ head: ResponseHead) {
        if head.status == 417, body != nil, expectation == .sent, hold != .released { return repeatWithoutExpecting() }
        if hasBody(head), head.announcesNoUsableLength {
            // libcurl believes one of them. What follows may be anything, so that this is no response.
            let sentence = "\(host) announced a body of no clear length. Ask its operator."
            stop = .failure(TransferFailure(.protocolViolation, sentence))
            return
        }
        self.head = head
        var isShared = false
        if case .transferring(let easy) = stage, url.scheme == "https" || hops > 0 {
            isShared = noteSharing(easy)
            // A stream has an end of its own.
            if url.scheme == "https", !isShared, head.headers.all("Content-Length").isEmpty {
                easy.demandClosingAlert()
            }
        }
        noteAnnouncement(head)
        // libcurl stops by itself, but its sending rests and would rest for ever.
        if taken?.direction == .sending, head.status >= 300 { isUnwanted = true }
        if answerChallenge(of: head, to: self) { return }
        if hasStoppedSending { thread.endSending(self) }
        let decision = RedirectRule.decide(
            status: head.status, location: head.headers.single("Location"), from: url,
            followsOnlyRepeating: plan.followsOnlyRepeatingRedirects, method: method, hasBody: body != nil, hops: hops,
            limit: plan.network.redirectLimit)
        switch decision {
        case .notARedirect: receive(head)
        case .follow(let url, let method, let dropsSecrets):
            reception = .redirecting(NextRequest(url: url, method: method, dropsSecrets: dropsSecrets))
            // To end a stream costs its connection nothing, and libcurl 8.14 does not end one whose body is held.
            if isShared, let body, body.position < body.length { stop = .enough }
        case .refuse(let failure): stop = .failure(failure)
        }
    }

    /// RFC 9112, section 6.3, rules 1 and 2.
    func hasBody(_ head: ResponseHead) -> Bool {
        method != "HEAD" && head.status != 204 && head.status != 304
    }

    /// On a new connection: whether the server still reads the body on this one cannot be known, and libcurl, left to
    /// itself, guesses (protocol rule 0.11).
    private func repeatWithoutExpecting() {
        expectation = .refused
        reception = .redirecting(NextRequest(url: url, method: method, dropsSecrets: false))
        stop = .enough
    }

    private func receive(_ head: ResponseHead) {
        let deadline = thread.now + Self.refusalTime
        switch plan.sink {
        case .memory(let limit):
            reception = head.status < 300 ? .keeping(limit: limit) : .keepingRefusal(limit: limit, until: deadline)
        case .partial(let partial):
            guard let head = partial.seen(head) else { return stop = .failure(sendsNoParts(host)) }
            self.head = head
            switch DownloadJudge.judge(head: head, resume: partial.resume) {
            case .write(let start, let bodyLength): accept(head, partial, start: start, bodyLength: bodyLength)
            case .holdForRestart(let bodyLength):
                reception = .held(bodyLength: bodyLength)
                thread.emit(ticket, .head(head))
            case .compareThenWrite(let from, let overlap, let bodyLength):
                beginComparison(head, partial, from: from, overlap: overlap, bodyLength: bodyLength)
            case .refuse(let refusal):
                self.refusal = refusal
                reception = .keepingRefusal(limit: Self.dropLimit, until: deadline)
            }
        }
    }

    private func accept(_ head: ResponseHead, _ partial: PartialPlan, start: Int64, bodyLength: Int64?) {
        let file = PartialFile(
            path: partial.path, start: start, bodyLength: bodyLength, digests: partial.digests,
            pieceSize: thread.pieceSize, isShared: partial.resume?.map != nil)
        lastCheckpoint = start
        syncedLength = start
        reception = .writing(file)
        openUnlessGathered(file)
    }

    /// Opens the partial file, and tells the loop that bytes of this version follow. The bytes of another version have been cut
    /// off before, since the loop now records this version's validators. A small body is opened, written and reported in one
    /// go, at its end.
    private func openUnlessGathered(_ file: PartialFile) {
        guard path(of: file) != .gathered || file.isShared, let head else { return }
        do throws(TransferFailure) {
            try file.open()
            thread.emit(ticket, .receiving(head))
            choosePath(of: file)
            SegmentCrew.note(self, file, head)
        } catch {
            stop = .failure(error)
        }
    }

    private func beginComparison(
        _ head: ResponseHead, _ partial: PartialPlan, from: Int64, overlap: Int64, bodyLength: Int64?
    ) {
        do throws(TransferFailure) {
            let comparison = try Comparison(
                path: partial.path, from: from, overlap: overlap, bodyLength: bodyLength, digests: partial.digests,
                isShared: partial.resume?.map != nil)
            reception = .comparing(comparison)
        } catch {
            stop = .failure(error)
        }
    }

    private func drop(_ bytes: UnsafeRawBufferPointer) -> Int {
        activity.dropped += bytes.count
        if activity.dropped <= Self.dropLimit { return bytes.count }
        stop = .enough
        return 0
    }

    private func keep(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Int {
        let wanted = bytes.prefix(max(limit - kept.count, 0))
        kept.append(contentsOf: wanted)
        if wanted.count < bytes.count { isTruncated = true }
        if !isHelper {
            let received = progress.received.load(ordering: .relaxed) + Int64(bytes.count)
            progress.moved(received: received, at: thread.now)
        }
        return bytes.count
    }

    private func keepRefusal(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Int {
        _ = keep(bytes, limit: limit)
        guard isTruncated else { return bytes.count }
        stop = .enough
        return 0
    }

    private func compare(_ bytes: UnsafeRawBufferPointer, with comparison: Comparison) -> Int {
        guard let count = comparison.take(bytes) else {
            stop = .overlapDiffers
            return 0
        }
        guard comparison.isComplete else { return count }
        let file = comparison.file
        reception = .writing(file)
        lastCheckpoint = file.start
        syncedLength = file.start
        openUnlessGathered(file)
        guard stop == nil else { return 0 }
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count))
        if rest.isEmpty { return count }
        let written = write(rest, to: file)
        return written == rest.count ? bytes.count : 0
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to file: PartialFile) -> Int {
        if owner.pace?.allows(at: thread.now) == false {
            rest()
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        do throws(TransferFailure) {
            guard let count = try file.append(bytes) else { return waitForRoom(bytes.count) }
            owner.pace?.use(count)
            noteReceived(file)
            endReading()
            if hasReceivedDirectly || file.isCut, file.missing == 0 {
                leaveConnection()
                stop = .enough
                return 0
            }
            if count == bytes.count { return count }
            stop = .failure(
                TransferFailure(.lengthMismatch, "\(host) sent more bytes than it had announced. Try again later."))
        } catch {
            stop = .failure(error)
        }
        return 0
    }

    /// libcurl keeps what it has read, or waits for what it is to send, until the pace allows more.
    func rest() {
        let until = thread.now + (owner.pace?.wait ?? 0)
        restsUntil = until
        thread.wake(self, at: until)
    }

    /// The time of `restsUntil` has come.
    func endRest() {
        restsUntil = nil
        guard case .transferring(let easy) = stage, taken == nil else { return }
        // What is held for another reason holds itself again.
        goOn(easy)
    }

    /// What is to be done after each piece of the body, by whichever way it came.
    func noteReceived(_ file: PartialFile) {
        progress.moved(received: progress.received.load(ordering: .relaxed) + file.newlyTaken(), at: thread.now)
        if crew?.isOpen != true, file.length - lastCheckpoint >= checkpointInterval { checkpoint(file) }
    }

    private var checkpointInterval: Int64 {
        guard case .partial(let partial) = plan.sink else { return .max }
        return partial.checkpointInterval
    }

    private func checkpoint(_ file: PartialFile) {
        guard !isSyncing, crew?.isSyncing != true else { return }
        isSyncing = true
        lastCheckpoint = file.length
        thread.sync(file.target, length: file.length, of: self)
    }

    private func abort(_ message: String) -> Int {
        stop = .failure(TransferFailure(.protocolViolation, message + " Ask its operator."))
        return 0
    }
}
