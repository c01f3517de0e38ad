/// tus 1.0.0: discover, create, query the offset, send the rest. After every interruption, Longhaul queries the server's offset again.
extension TransferMachine {
    /// The number of replies without progress after which the upload is discarded and recreated.
    private static let stallLimit = 3
    /// The number of recreated uploads after which the transfer fails.
    private static let recreationLimit = 2

    var tusSource: SourceFile {
        guard case .upload(.tus(let source, _)) = record.spec.work else { preconditionFailure("not a tus upload") }
        return source
    }

    /// Starts the next exchange. Called at the start of each attempt and after each response.
    mutating func continueTus(at moment: Moment) -> [TransferAction] {
        record.facts.bytesTotal = tusSource.pin.size
        record.state = .running(.preparing)
        guard let capabilities = record.facts.upload.tus else { return discover(at: record.spec.url) }
        if let limit = capabilities.maxSize, tusSource.pin.size > limit {
            // A retry queries the limit again, because servers raise limits.
            record.facts.upload.tus = nil
            return fail(.tooLarge(tusSource.pin.size, limit: limit), at: moment)
        }
        return record.facts.upload.uploadURL == nil
            ? create(at: capabilities.creationURL, moment) : ask(after: nil, at: moment)
    }

    private mutating func ask(after conflict: TusConflict?, at moment: Moment) -> [TransferAction] {
        guard let url = record.facts.upload.uploadURL else { return recreate(at: moment) }
        record.state = .running(.preparing)
        step = .asking(after: conflict)
        return [.start(.exchange(tusPlan("HEAD", url, [])))]
    }

    mutating func processTus(
        _ current: TransferStep, _ event: EngineEvent, at moment: Moment
    ) -> [TransferAction] {
        switch (current, event) {
        case (.patching, .lastBytesHeld), (.patching, .bodySent):
            // From here on, the server may have everything, even if its response is lost or this process ends. A missing upload may then
            // have been processed.
            record.state = .awaitingResponse
            record.facts.upload.allBytesSent = true
            return event == .bodySent ? [] : [.release(.sendRest)]
        case (.discovering(let url), .exchangeEnded(let outcome)): return discovered(url, outcome, at: moment)
        case (.creating, .exchangeEnded(let outcome)): return created(outcome, at: moment)
        case (.asking(let conflict), .exchangeEnded(let outcome)): return told(outcome, after: conflict, at: moment)
        case (.patching(let offset, let sentBefore), .exchangeEnded(let outcome)):
            record.facts.upload.recordSent(outcome, from: offset, sentBefore: sentBefore, of: tusSource.pin.size)
            return patched(offset, outcome, at: moment)
        default: return unexpected(event, at: moment)
        }
    }

    // tus 1.0.0, "Discovery"

    private mutating func discover(at url: String) -> [TransferAction] {
        step = .discovering(url: url)
        return [.start(.exchange(tusPlan("OPTIONS", url, [], isVersioned: false)))]
    }

    private mutating func discovered(
        _ url: String, _ outcome: ExchangeOutcome, at moment: Moment
    ) -> [TransferAction] {
        guard let head = outcome.answer else { return broken(outcome, at: moment) }
        switch head.status {
        case 200..<300:
            record.facts.upload.tus = TusCapabilities(
                extensions: TusReply.extensions(in: head.headers), maxSize: TusReply.maxSize(in: head.headers),
                creationURL: url)
            return continueTus(at: moment)
        case 404, 405, 501:
            // Some servers support only the form with a trailing slash.
            if !url.hasSuffix("/"), url == record.spec.url { return discover(at: url + "/") }
            record.facts.upload.tus = TusCapabilities(
                extensions: ["creation"], maxSize: nil, creationURL: record.spec.url)
            return continueTus(at: moment)
        default: return rejected(head, outcome, at: moment)
        }
    }

    // tus 1.0.0, "Creation"

    private mutating func create(at url: String, _ moment: Moment) -> [TransferAction] {
        guard case .upload(.tus(_, let metadata)) = record.spec.work else { return [] }
        var fields = [HeaderField("Upload-Length", String(tusSource.pin.size))]
        do throws(TransferFailure) {
            let text = try UploadMetadata.encode(metadata)
            if !text.isEmpty { fields.append(HeaderField("Upload-Metadata", text)) }
        } catch {
            return fail(error, at: moment)
        }
        step = .creating
        return [.start(.exchange(tusPlan("POST", url, fields, body: BodyPlan.empty)))]
    }

    private mutating func created(_ outcome: ExchangeOutcome, at moment: Moment) -> [TransferAction] {
        guard let head = outcome.answer else { return broken(outcome, at: moment) }
        guard head.isSuccess else { return rejected(head, outcome, at: moment) }
        if let failure = record.facts.upload.recordCreated(head) { return fail(failure, at: moment) }
        record.facts.upload.beginSending()
        record.facts.upload.recordExpiry(head, at: moment.now)
        return tusSource.pin.size == 0 ? succeed(by: outcome, at: moment) : patch(from: 0)
    }

    // tus 1.0.0, "Core protocol: HEAD"

    private mutating func told(
        _ outcome: ExchangeOutcome, after conflict: TusConflict?, at moment: Moment
    ) -> [TransferAction] {
        guard let head = outcome.answer else { return broken(outcome, at: moment) }
        let total = tusSource.pin.size
        guard head.isSuccess else {
            if head.status == 409 { return interrupted(.notStored(head), head: head, at: moment) }
            return [403, 404, 410].contains(head.status) ? gone(at: moment) : rejected(head, outcome, at: moment)
        }
        guard !head.headers.contradicts("Upload-Length"), let offset = TusReply.offset(in: head.headers) else {
            return interrupted(TusReply.headerFailure(.protocolViolation, in: head), head: head, at: moment)
        }
        if let length = TusReply.length(in: head.headers), length != total {
            record.facts.forgetUpload()
            return fail(.otherUpload(length, total), at: moment)
        }
        record.facts.upload.recordExpiry(head, at: moment.now)
        // Another client wrote to the upload, or the server is wrong.
        if offset > record.facts.upload.sentHighWater { return recreate(at: moment) }
        if offset == total { return succeed(by: outcome, at: moment) }
        record.facts.upload.allBytesSent = false
        // The upload is incomplete, so the refusal was a decision of the server.
        if record.facts.upload.refusedAt == offset {
            let refusal = record.facts.lastFailure.flatMap { $0.origin == .status(403) ? $0 : nil }
            return fail(
                refusal ?? RetryPolicy.failure(forStatus: 403, head: head, url: record.spec.url), at: moment)
        }
        if offset < record.facts.upload.acknowledged {
            // The server lost bytes that it had confirmed.
            record.facts.upload.stalls += 1
            if record.facts.upload.stalls >= Self.stallLimit { return recreate(at: moment) }
        }
        let isEnough = record.facts.upload.isEnough(offset, after: conflict)
        record.facts.upload.acknowledge(offset)
        record.recordNewProgress(offset, isEnough: isEnough, at: moment)
        if let conflict, !isEnough, offset >= conflict.offset {
            return interrupted(.notStored(conflict.head), head: conflict.head, at: moment)
        }
        return patch(from: offset)
    }

    // tus 1.0.0, "Core protocol: PATCH"

    private mutating func patch(from offset: Int64) -> [TransferAction] {
        guard let url = record.facts.upload.uploadURL else { preconditionFailure("PATCH before creation") }
        let rest = tusSource.pin.size - offset
        step = .patching(from: offset, sentBefore: record.facts.upload.sentHighWater)
        // After a crash, the number of sent bytes is unknown, so the record assumes all. `recordSent` corrects it.
        record.facts.upload.sentHighWater = tusSource.pin.size
        record.facts.upload.allBytesSent = false
        record.state = .running(.sending)
        let fields = [
            HeaderField("Upload-Offset", String(offset)),
            HeaderField("Content-Type", "application/offset+octet-stream"),
        ]
        let body = BodyPlan(
            segments: [.file(tusSource, offset: offset, length: rest)], length: rest, holdsLastBytes: true)
        return [.start(.exchange(tusPlan("PATCH", url, fields, body: body)))]
    }

    private mutating func patched(
        _ from: Int64, _ outcome: ExchangeOutcome, at moment: Moment
    ) -> [TransferAction] {
        guard let head = outcome.answer else { return broken(outcome, at: moment) }
        let total = tusSource.pin.size
        switch head.status {
        case 200..<300:
            guard let offset = TusReply.offset(in: head.headers) else {
                return ask(after: TusConflict(offset: from, sent: outcome.bytesSent, head: head), at: moment)
            }
            record.facts.upload.recordExpiry(head, at: moment.now)
            guard offset <= record.facts.upload.sentHighWater else { return recreate(at: moment) }
            record.facts.upload.allBytesSent = false
            if offset <= from {
                record.facts.upload.stalls += 1
                if record.facts.upload.stalls >= Self.stallLimit { return recreate(at: moment) }
                return continueTus(at: moment)
            }
            let isEnough = UploadProgressRule.isEnough(stored: offset - from, ofSent: outcome.bytesSent)
            record.facts.upload.acknowledge(offset)
            record.recordNewProgress(offset, isEnough: isEnough, at: moment)
            if offset == total { return succeed(by: outcome, at: moment) }
            return isEnough
                ? patch(from: offset)
                : interrupted(.storedTooLittle(offset - from, of: outcome.bytesSent, head), head: head, at: moment)
        case 403:
            // Some servers refuse a PATCH of a complete upload with 403; HEAD finds out. Otherwise the server forbids the upload (a
            // quota, a policy), and no second body is sent.
            record.facts.lastFailure = RetryPolicy.failure(of: record.spec, head, outcome)
            record.facts.upload.refusedAt = from
            return continueTus(at: moment)
        case 409, 460:
            // The offset was wrong, the server holds the lock of an earlier request (tusdotnet responds with 409), or bytes were damaged
            // in transit (460); HEAD finds out.
            return ask(after: TusConflict(offset: from, sent: outcome.bytesSent, head: head), at: moment)
        case 404, 410:
            record.facts.upload.allBytesSent = false
            return gone(at: moment)
        default: return rejected(head, outcome, at: moment)
        }
    }

    /// Records the offset from the response to a PATCH that had been stopped. Nothing more is sent.
    mutating func patchedWhileStopping(_ outcome: ExchangeOutcome, at moment: Moment) -> [TransferAction] {
        guard let offset = outcome.head.flatMap({ TusReply.offset(in: $0.headers) }),
            offset <= record.facts.upload.sentHighWater, offset > record.facts.upload.acknowledged
        else { return cleanupActions() }
        record.facts.upload.acknowledge(offset)
        record.recordNewProgress(offset, at: moment)
        return offset == tusSource.pin.size ? succeed(by: outcome, at: moment) : []
    }

    /// Stores the response that completes the upload together with the success, in one write.
    private mutating func succeed(by outcome: ExchangeOutcome, at moment: Moment) -> [TransferAction] {
        record.recordNewProgress(tusSource.pin.size, at: moment)
        record.facts.keepResponse(outcome)
        return succeed(at: moment)
    }

    private mutating func gone(at moment: Moment) -> [TransferAction] {
        if record.facts.upload.allBytesSent {
            record.facts.forgetUpload()
            return fail(.mayHaveArrived, at: moment)
        }
        return recreate(at: moment)
    }

    private mutating func recreate(at moment: Moment) -> [TransferAction] {
        record.facts.restarts += 1
        record.facts.forgetUpload()
        guard record.facts.restarts <= Self.recreationLimit else {
            let sentence = "The server lost the upload \(record.facts.restarts) times. Retry to start it again."
            return fail(TransferFailure(.uploadGone, sentence), at: moment)
        }
        return continueTus(at: moment)
    }

    private mutating func broken(_ outcome: ExchangeOutcome, at moment: Moment) -> [TransferAction] {
        switch outcome.ending {
        case .broke(let failure): interrupted(failure, head: outcome.head, at: moment)
        case .cancelled, .responded:
            interrupted(TransferFailure(.interrupted, "The exchange was stopped before it ended."), at: moment)
        }
    }

    private mutating func rejected(
        _ head: ResponseHead, _ outcome: ExchangeOutcome, at moment: Moment
    ) -> [TransferAction] {
        var failure = RetryPolicy.failure(of: record.spec, head, outcome)
        // A tus server identifies itself in every response (section "Tus-Resumable").
        if record.facts.upload.uploadURL == nil, [403, 404, 405, 501].contains(head.status),
            head.headers.single("Tus-Resumable") == nil
        {
            failure.advice = TusReply.checkWhetherItIsTus
        }
        return interrupted(failure, head: head, at: moment)
    }

    private func tusPlan(
        _ method: String, _ url: String, _ fields: [HeaderField], body: BodyPlan? = nil, isVersioned: Bool = true
    ) -> ExchangePlan {
        let version = isVersioned ? [HeaderField("Tus-Resumable", "1.0.0")] : []
        return ExchangePlan(
            method: method, url: url, headers: record.spec.uploadHeaders(for: url) + version + fields, body: body,
            sink: .memory(limit: 4_096), network: record.spec.sharedNetwork, rateLimit: record.spec.options.rateLimit,
            followsOnlyRepeatingRedirects: true, credential: credentialScope(for: url))
    }

    /// tus 1.0.0, "Termination".
    func terminationWork() -> EngineWork? {
        record.facts.upload.uploadURL.map { .exchange(tusPlan("DELETE", $0, [])) }
    }
}

extension TransferFailure {
    fileprivate static func tooLarge(_ size: Int64, limit: Int64) -> TransferFailure {
        TransferFailure(
            .requestRejected, "The server accepts uploads of at most \(limit) bytes; this one has \(size).")
    }

    fileprivate static func otherUpload(_ length: Int64, _ total: Int64) -> TransferFailure {
        TransferFailure(
            .uploadGone, "The upload on the server is another one: it has \(length) bytes, and the file has \(total).")
    }

    fileprivate static let mayHaveArrived = TransferFailure(
        .outcomeUnknown,
        "Everything was sent, but the response was lost and the server has removed the upload. It may have arrived; a retry sends it again."
    )

    /// Returns the failure for a PATCH of which the server stored too little, although its offset was right.
    fileprivate static func notStored(_ head: ResponseHead) -> TransferFailure {
        if head.isSuccess { return TusReply.headerFailure(.serverFailed, in: head) }
        let server = RetryPolicy.server(head, head.effectiveURL)
        let what =
            head.status == 460
            ? "The server \(server) received damaged bytes (460)"
            : "The server \(server) still processes an earlier request of the upload (\(head.status))"
        return TransferFailure(.serverBusy, what, advice: "try again later", origin: .status(head.status))
    }

    fileprivate static func storedTooLittle(_ stored: Int64, of sent: Int64, _ head: ResponseHead) -> TransferFailure {
        let server = RetryPolicy.server(head, head.effectiveURL)
        return TransferFailure(
            .serverFailed, "The server \(server) stored only \(stored) of \(sent) sent bytes (\(head.status))",
            advice: "report it to its operator", origin: .status(head.status))
    }
}

extension ExchangeOutcome {
    /// The response, if it is complete.
    fileprivate var answer: ResponseHead? { ending == .responded ? head : nil }
}

extension TransferFacts {
    fileprivate mutating func keepResponse(_ outcome: ExchangeOutcome) {
        response = outcome.head.map {
            Response($0, body: outcome.body, isTruncated: outcome.isBodyTruncated, uploadURL: upload.uploadURL)
        }
    }

    /// Discards the upload, so that the next request creates another one.
    fileprivate mutating func forgetUpload() {
        upload.uploadURL = nil
        upload.stalls = 0
        upload.refusedAt = nil
        upload.acknowledged = 0
        upload.allBytesSent = false
        bytesDone = 0
    }
}

extension TransferSpec {
    /// Returns the app's headers. A redirected creation may have led to another host, which receives no secrets.
    fileprivate func uploadHeaders(for url: String) -> [HeaderField] {
        let hosts = [url, self.url].map { try? TransferURL(parsing: $0).host }  // Both URLs parsed before.
        return hosts[0] == hosts[1] ? headers : headers.filter { !$0.isSecret }
    }
}

extension BodyPlan {
    /// `Content-Length: 0`.
    package static let empty = BodyPlan(segments: [], length: 0, holdsLastBytes: false)
}

extension UploadFacts {
    fileprivate mutating func beginSending() { (acknowledged, sentHighWater, allBytesSent) = (0, 0, false) }

    /// Records how many bytes an ended request sent: the engine counts the bytes that it passes to the network.
    mutating func recordSent(_ outcome: ExchangeOutcome, from offset: Int64, sentBefore: Int64, of total: Int64) {
        let sent = min(offset + outcome.bytesSent, total)
        sentHighWater = max(sentBefore, sent)
        allBytesSent = sent == total
    }

    fileprivate mutating func acknowledge(_ offset: Int64) {
        if offset > acknowledged { stalls = 0 }
        acknowledged = offset
    }

    /// Returns whether the bytes up to this offset are progress since the last request. After an interruption, the number of sent bytes is
    /// known only as the maximum of all requests, so the network may have contained most of them.
    fileprivate func isEnough(_ offset: Int64, after conflict: TusConflict?) -> Bool {
        let from = conflict?.offset ?? acknowledged
        let sent = conflict?.sent ?? min(sentHighWater - from, UploadProgressRule.mostInTransit)
        return UploadProgressRule.isEnough(stored: offset - from, ofSent: sent)
    }

    fileprivate mutating func recordExpiry(_ head: ResponseHead, at now: WallTime) {
        if let expires = TusReply.expires(in: head.headers, now: now) { self.expires = expires }
    }

    /// Records the URL of the created upload. Returns a failure if the response has no usable one.
    mutating func recordCreated(_ head: ResponseHead) -> TransferFailure? {
        do throws(TransferFailure) {
            uploadURL = try TusReply.uploadURL(in: head).text
            return nil
        } catch {
            return error
        }
    }
}
