// How an exchange ends.
extension ExchangeMachine {
    /// What an engine knows at the end of a request that leads to no other one.
    package struct End {
        /// Whether the connection says that the response is over.
        package var isClean: Bool
        /// Whether any byte of the request may have reached the wire.
        package var requestLeft: Bool
        /// Bytes of the request's body that were handed to the network: by this request, and the most that an earlier one may have sent.
        package var bytesSent: Int64
        package var mostSent: Int64
        package var file: FileSight?

        package init(isClean: Bool, requestLeft: Bool, bytesSent: Int64, mostSent: Int64, file: FileSight?) {
            self.isClean = isClean
            self.requestLeft = requestLeft
            self.bytesSent = bytesSent
            self.mostSent = mostSent
            self.file = file
        }
    }

    /// What became of a body that goes to a partial file.
    package enum FileSight {
        /// It was still compared with the file, which is good up to this length.
        case comparing(upTo: Int64)
        case writing(isShort: Bool)
    }

    /// How a request that leads to no other one has ended. `failure` is asked for what broke the connection.
    package func outcome(_ end: End, failure: () -> TransferFailure) -> ExchangeOutcome {
        // A success speaks of the last request alone; without a success, a server may have more of an earlier request.
        let bytesSent = head?.isSuccess == true ? end.bytesSent : max(end.bytesSent, end.mostSent)
        return ExchangeOutcome(
            ending: ending(end, failure), head: head, body: kept.bytes,
            isBodyTruncated: kept.isTruncated || keeps && !end.isClean, disposition: disposition(end.file),
            requestLeft: end.requestLeft, bytesSent: bytesSent)
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
        // The status is what counts; its body may break off.
        case .keepingRefusal: return .responded
        case .filling where end.isClean && end.file?.isShort == true:
            return .broke(
                TransferFailure(
                    .lengthMismatch,
                    "\(url.site) sent fewer bytes than it announced. If that happens again, report it to its operator.")
            )
        // libcurl takes a head that breaks off within a line for the end of a response.
        case .awaitingHead where end.isClean:
            return .broke(
                TransferFailure(
                    .connectionLost,
                    "The connection to \(url.endpoint) was lost before the response arrived. Try again."))
        // A success that came before the body had left would be one for a file that did not arrive.
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

    /// What became of the body; for a partial file that is being written, `closed` says it later.
    private func disposition(_ file: FileSight?) -> ExchangeOutcome.Disposition {
        if case .overlapDiffers = stop { return .overlapDiffers }
        if let refusal { return .refused(refusal) }
        if case .comparing(let length) = file { return .written(length: length, isComplete: false) }
        return .none
    }

    /// Whether the exchange is over with this outcome, and it is to be told. If not, the permission to write from the start decides.
    package mutating func isOver(_ outcome: ExchangeOutcome) -> Bool {
        guard case .asking(.held(let bodyLength)) = phase, outcome.ending == .responded else { return true }
        phase = .heldAtEnd(outcome, bodyLength: bodyLength)
        return false
    }

    /// The partial file is written to its end next.
    package mutating func settle(_ outcome: ExchangeOutcome) { phase = .settling(outcome) }
}

extension ExchangeMachine.FileSight {
    /// Whether bytes are missing that were announced.
    fileprivate var isShort: Bool {
        switch self {
        case .comparing: true
        case .writing(let isShort): isShort
        }
    }
}

// What comes from outside.
extension ExchangeMachine {
    /// What an order to end, or a failure of the file, leads to.
    package enum Ending {
        /// The exchange is over: this is told.
        case tell(ExchangeOutcome)
        /// The present request is broken off.
        case breakOff(Stop)
        /// It is ending already.
        case nothing
    }

    package func cancel() -> Ending {
        switch phase {
        case .heldBack: return .tell(ExchangeOutcome(ending: .cancelled, requestLeft: false))
        case .asking: return .breakOff(.cancelled)
        case .heldAtEnd(var outcome, _):
            outcome.ending = .cancelled
            return .tell(outcome)
        case .settling, .parked: return .nothing
        }
    }

    /// The file of a held body cannot be opened.
    package func failHeld(_ failure: TransferFailure) -> Ending {
        guard case .heldAtEnd(var outcome, _) = phase else { return .breakOff(.failure(failure)) }
        outcome.ending = .broke(failure)
        return .tell(outcome)
    }

    /// The body that waits to be written from the start; `nil` when none does.
    package var heldBody: HeldAnswer? {
        switch phase {
        case .asking(.held(let bodyLength)), .heldAtEnd(_, let bodyLength): HeldAnswer(bodyLength: bodyLength)
        case .heldBack, .asking, .settling, .parked: nil
        }
    }

    package struct HeldAnswer {
        package var bodyLength: Int64?
    }

    /// The held body may be written. Its outcome, where it has ended without a byte.
    package mutating func writeHeld() -> ExchangeOutcome? {
        guard case .heldAtEnd(var outcome, _) = phase else {
            phase = .asking(.filling)
            return nil
        }
        outcome.disposition = .written(length: 0, isComplete: outcome.ending == .responded)
        return outcome
    }

    /// What was written since the last good sync may be lost, and no later sync says so again (fsync(2)).
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

    /// The partial file is closed; `length` bytes of it are certain, none where that is `nil`. What is told.
    package func closed(length: Int64?, failure: TransferFailure?) -> ExchangeOutcome? {
        guard case .settling(var outcome) = phase else { return nil }
        let isComplete = failure == nil && outcome.ending == .responded
        outcome.disposition = length.map { .written(length: $0, isComplete: isComplete) } ?? .none
        if let failure, outcome.ending == .responded { outcome.ending = .broke(failure) }
        return outcome
    }
}
