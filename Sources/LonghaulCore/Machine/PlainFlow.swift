/// Raw and form uploads, and requests without a file: one exchange, without resumption.
extension TransferMachine {
    /// Whether it is safe to repeat the request, or to query its outcome, once its body has been sent.
    package var isSafeToSendAgain: Bool { record.spec.isSafeToSendAgain }

    mutating func sendPlain() -> [TransferAction] {
        let plan = record.spec.plainPlan(credentialScope(for: record.spec.url))
        record.facts.bytesDone = 0
        record.facts.bytesTotal = plan.body?.length ?? 0
        record.state = .running(.sending)
        step = .sending
        return [.start(.exchange(plan))]
    }

    mutating func processPlain(_ event: EngineEvent, at moment: Moment) -> [TransferAction] {
        switch event {
        case .lastBytesHeld:
            record.state = .awaitingResponse
            record.facts.bytesDone = record.facts.bytesTotal ?? 0
            return [.release(.sendRest)]
        case .bodySent:
            record.state = .awaitingResponse
            record.facts.bytesDone = record.facts.bytesTotal ?? 0
            return []
        case .exchangeEnded(let outcome): return answered(outcome, at: moment)
        case .receiving, .head, .allowanceUsed, .sharesConnections, .checkpoint, .parts,
            .places, .connectionsWanted, .heads, .sourcesInspected, .partialMeasured, .piecesChecked,
            .placed, .discarded:
            return unexpected(event, at: moment)
        }
    }

    private mutating func answered(_ outcome: ExchangeOutcome, at moment: Moment) -> [TransferAction] {
        record.facts.bytesDone = SurvivorRule.progress(after: outcome, beside: record)
        switch outcome.ending {
        case .responded:
            guard let head = outcome.head else { return unexpected(.exchangeEnded(outcome), at: moment) }
            return settled(by: head, outcome, at: moment)
        case .broke(let failure) where failure.code == .redirectRefused:
            // A final response. Its target is kept for the user or the app.
            if let head = outcome.head { record.keep(head, body: [], isTruncated: false) }
            return interrupted(failure, head: outcome.head, at: moment)
        case .broke(let failure) where [.sourceChanged, .fileFailed].contains(failure.code) && outcome.head != nil:
            // The server accepted bytes that no one submitted, or its cookies could not be saved.
            if let head = outcome.head { record.keep(head, body: outcome.body, isTruncated: outcome.isBodyTruncated) }
            return fail(failure, at: moment)
        case .broke(let failure):
            if let head = outcome.head, head.isSuccess, failure.isLossOfConnection,
                !ResendRule.isSafe(record.spec.method)
            {
                // The response body is not the purpose of the request.
                return succeededAndBroke(head, outcome, failure, at: moment)
            }
            if let doubt = SurvivorRule.doubt(about: outcome, beside: record) { return fail(doubt, at: moment) }
            return interrupted(failure, head: outcome.head, at: moment)
        // A previous process stopped the exchange.
        case .cancelled:
            if let doubt = SurvivorRule.doubt(about: outcome, beside: record) { return fail(doubt, at: moment) }
            return interrupted(
                TransferFailure(.interrupted, "The exchange was stopped before it ended."), at: moment)
        }
    }

    private mutating func settled(
        by head: ResponseHead, _ outcome: ExchangeOutcome, at moment: Moment
    ) -> [TransferAction] {
        record.keep(head, body: outcome.body, isTruncated: outcome.isBodyTruncated)
        if head.isSuccess {
            record.recordNewProgress(record.facts.bytesTotal ?? 0, at: moment)
            return succeed(at: moment)
        }
        let failure = RetryPolicy.failure(of: record.spec, head, outcome, mayBeRepeated: isSafeToSendAgain)
        // A server or gateway failed on a request that must not be repeated, so the app decides. A 503 says that nothing was done.
        if head.status >= 500, head.status != 503, !isSafeToSendAgain {
            return fail(failure, RetryPolicy.decide(failure, headers: head.headers, for: record), at: moment)
        }
        return interrupted(failure, head: head, at: moment)
    }

    /// Handles a success response whose connection broke. If the body had been sent, only part of the response is missing, and nothing is
    /// sent again. Otherwise the file has not arrived, whatever the server says.
    private mutating func succeededAndBroke(
        _ head: ResponseHead, _ outcome: ExchangeOutcome, _ failure: TransferFailure, at moment: Moment
    ) -> [TransferAction] {
        if outcome.bytesSent >= record.facts.bytesTotal ?? 0 { return settled(by: head, outcome, at: moment) }
        guard !isSafeToSendAgain else { return interrupted(failure, head: head, at: moment) }
        record.keep(head, body: outcome.body, isTruncated: outcome.isBodyTruncated)
        return fail(.answeredTooEarly(head.status), at: moment)
    }
}

extension TransferSpec {
    fileprivate var isSafeToSendAgain: Bool {
        switch work {
        case .download, .upload(.tus): return true
        case .upload(.raw), .upload(.form), .request:
            let hasKey = options.idempotencyKey != nil || headers.single("Idempotency-Key") != nil
            return ResendRule.decide(method: method, hasIdempotencyKey: hasKey, requestLeft: true) == .sendAgain
        }
    }

    fileprivate func plainPlan(_ credential: CredentialScope?) -> ExchangePlan {
        var headers = headers
        // A request that must not be repeated holds its last bytes until the record says that they are being sent.
        let holds = !isSafeToSendAgain
        let body = plainBody(holdsLastBytes: holds, &headers)
        if let key = options.idempotencyKey, headers.single("Idempotency-Key") == nil {
            // A structured field (draft-ietf-httpapi-idempotency-key-header-07). An older version stored keys with other characters.
            headers.append(HeaderField("Idempotency-Key", StructuredString.encode(key) ?? "\"\(key)\""))
        }
        return ExchangePlan(
            method: method, url: url, headers: headers, body: body, sink: .memory(limit: options.responseLimit),
            network: sharedNetwork, rateLimit: options.rateLimit, followsOnlyRepeatingRedirects: body != nil,
            connection: holds ? .unused : .any, credential: credential)
    }

    /// Returns the body of a raw upload, a form, or a request, and adds its type to the headers.
    fileprivate func plainBody(holdsLastBytes holds: Bool, _ headers: inout [HeaderField]) -> BodyPlan? {
        switch work {
        case .upload(.raw(let source)):
            let segment = BodyPlan.Segment.file(source, offset: 0, length: source.pin.size)
            return BodyPlan(segments: [segment], length: source.pin.size, holdsLastBytes: holds)
        case .upload(.form(let boundary, let parts)):
            headers.append(HeaderField("Content-Type", FormLayout.contentType(boundary: boundary)))
            let layout = FormLayout.segments(boundary: boundary, parts: parts)
            return BodyPlan(segments: layout.segments, length: layout.length, holdsLastBytes: holds)
        case .request(let bytes):
            if bytes.isEmpty, !holds { return nil }
            return BodyPlan(
                segments: bytes.isEmpty ? [] : [.bytes(bytes)], length: Int64(bytes.count), holdsLastBytes: holds)
        case .download, .upload(.tus): preconditionFailure("not a plain request")
        }
    }
}

extension TransferRecord {
    fileprivate mutating func keep(_ head: ResponseHead, body: [UInt8], isTruncated: Bool) {
        facts.response = Response(head, body: body, isTruncated: isTruncated)
    }
}

extension TransferFailure {
    fileprivate static func answeredTooEarly(_ status: Int) -> TransferFailure {
        TransferFailure(
            .outcomeUnknown,
            "The server reported success (\(status)) before it received everything, and accepted no more. "
                + "Check what it has; a retry sends everything again.",
            origin: .status(status))
    }

    fileprivate var isLossOfConnection: Bool { code == .connectionLost || code == .timedOut }
}
