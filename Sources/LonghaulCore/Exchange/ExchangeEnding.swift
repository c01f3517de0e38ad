// The end of an exchange.
extension ExchangeMachine {
    /// The engine's view at the end of a request without a following one.
    package struct End {
        /// Whether the connection reports that the response is complete.
        package var isClean: Bool
        /// Whether any byte of the request may have been sent.
        package var requestLeft: Bool
        /// Body bytes handed to the network: by this request, and at most by an earlier one.
        package var bytesSent: Int64
        package var mostSent: Int64
        package var file: PartialFileState?

        package init(isClean: Bool, requestLeft: Bool, bytesSent: Int64, mostSent: Int64, file: PartialFileState?) {
            self.isClean = isClean
            self.requestLeft = requestLeft
            self.bytesSent = bytesSent
            self.mostSent = mostSent
            self.file = file
        }
    }

    /// The state of a body for a partial file.
    package enum PartialFileState {
        /// It was still being compared with the file, which is valid up to this length.
        case comparing(upTo: Int64)
        case writing(isShort: Bool)
    }

    /// Returns the outcome of a request without a following one. `failure` returns why the connection failed.
    package func outcome(_ end: End, failure: () -> TransferFailure) -> ExchangeOutcome {
        // A success concerns only the last request; otherwise a server may have received more of an earlier request.
        let bytesSent = head?.isSuccess == true ? end.bytesSent : max(end.bytesSent, end.mostSent)
        var outcome = ExchangeOutcome(
            ending: ending(end, failure), head: head, body: kept.bytes,
            isBodyTruncated: kept.isTruncated || keeps && !end.isClean, disposition: disposition(end.file),
            requestLeft: end.requestLeft, bytesSent: bytesSent)
        // The server answered an earlier request of the exchange, or refused it, so only the last one counts.
        outcome.withheldBody = !end.isClean && end.bytesSent < bodyLength ?? 0
        return outcome
    }

    private var reception: Reception {
        if case .asking(let reception) = phase { reception } else { .awaitingHead }
    }

    /// Whether the response's body is kept in memory.
    private var keeps: Bool {
        switch reception {
        case .keeping, .keepingRefusal: true
        case .awaitingHead, .redirecting, .held, .filling: false
        }
    }

    private func ending(_ end: End, _ failure: () -> TransferFailure) -> ExchangeOutcome.Ending {
        switch stop {
        case .cancelled: return .cancelled
        case .failure(let failure): return .broke(failure)
        case .overlapDiffers, .enough: return .responded
        case nil: break
        }
        switch reception {
        // The status counts; the body may be incomplete.
        case .keepingRefusal: return .responded
        case .filling where end.isClean && end.file?.isShort == true:
            return .broke(
                TransferFailure(
                    .lengthMismatch,
                    "\(url.site) sent fewer bytes than it announced. If that happens again, report it to its operator.")
            )
        // libcurl treats headers that end within a line as the end of a response.
        case .awaitingHead where end.isClean:
            return .broke(
                TransferFailure(
                    .connectionLost,
                    "The connection to \(url.endpoint) was lost before the response arrived. Try again."))
        // A success before the body has been sent would be reported for a file that did not arrive.
        case .keeping where end.bytesSent < bodyLength ?? 0:
            return .broke(
                TransferFailure(
                    .connectionLost,
                    "\(url.site) responded before it received the whole body, and accepted no more. If that happens again, ask its operator for the limits of uploads."
                ))
        case .awaitingHead, .redirecting, .keeping, .held, .filling:
            return end.isClean ? .responded : .broke(failure())
        }
    }

    /// Returns the disposition of the body; for a partial file that is being written, `closed` returns it later.
    private func disposition(_ file: PartialFileState?) -> ExchangeOutcome.Disposition {
        if case .overlapDiffers = stop { return .overlapDiffers }
        if let refusal { return .refused(refusal) }
        if case .comparing(let length) = file { return .written(length: length, isComplete: false) }
        return .none
    }

    /// Returns whether the exchange is over with this outcome, which is then reported. Otherwise the permission to write from the
    /// start decides.
    package mutating func isOver(_ outcome: ExchangeOutcome) -> Bool {
        guard case .asking(.held(let bodyLength)) = phase, outcome.ending == .responded else { return true }
        phase = .heldAtEnd(outcome, bodyLength: bodyLength)
        return false
    }

    /// The partial file is written to its end next.
    package mutating func finishWriting(_ outcome: ExchangeOutcome) { phase = .settling(outcome) }
}

extension ExchangeMachine.PartialFileState {
    /// Whether announced bytes are missing.
    fileprivate var isShort: Bool {
        switch self {
        case .comparing: true
        case .writing(let isShort): isShort
        }
    }
}

// External events.
extension ExchangeMachine {
    /// The effect of a cancellation, or of a failure of the file.
    package enum Ending {
        /// The exchange is over, with this outcome.
        case report(ExchangeOutcome)
        /// Abort the current request.
        case breakOff(Stop)
        /// It is ending already.
        case nothing
    }

    package func cancel() -> Ending {
        switch phase {
        case .heldBack: return .report(ExchangeOutcome(ending: .cancelled, requestLeft: false))
        case .asking: return .breakOff(.cancelled)
        case .heldAtEnd(var outcome, _):
            outcome.ending = .cancelled
            return .report(outcome)
        case .settling, .parked: return .nothing
        }
    }

    /// The file for a held body cannot be opened.
    package func failHeld(_ failure: TransferFailure) -> Ending {
        guard case .heldAtEnd(var outcome, _) = phase else { return .breakOff(.failure(failure)) }
        outcome.ending = .broke(failure)
        return .report(outcome)
    }

    /// The body that waits to be written from the start; `nil` if there is none.
    package var heldBody: HeldAnswer? {
        switch phase {
        case .asking(.held(let bodyLength)), .heldAtEnd(_, let bodyLength): HeldAnswer(bodyLength: bodyLength)
        case .heldBack, .asking, .settling, .parked: nil
        }
    }

    package struct HeldAnswer {
        package var bodyLength: Int64?
    }

    /// The held body may be written. Returns its outcome if it has ended without a byte.
    package mutating func writeHeld() -> ExchangeOutcome? {
        guard case .heldAtEnd(var outcome, _) = phase else {
            phase = .asking(.filling)
            return nil
        }
        outcome.disposition = .written(length: 0, isComplete: outcome.ending == .responded)
        return outcome
    }

    /// Bytes written since the last successful sync may be lost, and no later sync reports that again (fsync(2)).
    package mutating func syncFailed(_ failure: TransferFailure) -> Ending {
        switch phase {
        case .asking: return .breakOff(.failure(failure))
        case .settling(var outcome):
            if outcome.ending == .responded { outcome.ending = .broke(failure) }
            phase = .settling(outcome)
            return .nothing
        case .heldBack, .heldAtEnd, .parked: return .nothing
        }
    }

    /// The partial file is closed, with `length` bytes synced; none if it is `nil`. Returns the outcome to report.
    package func closed(length: Int64?, failure: TransferFailure?) -> ExchangeOutcome? {
        guard case .settling(var outcome) = phase else { return nil }
        let isComplete = failure == nil && outcome.ending == .responded
        outcome.disposition = length.map { .written(length: $0, isComplete: isComplete) } ?? .none
        if let failure, outcome.ending == .responded { outcome.ending = .broke(failure) }
        return outcome
    }
}
