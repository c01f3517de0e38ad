import CCurl
import LonghaulCore
import LonghaulFiles
import LonghaulSystem

extension Exchange {
    /// How long a response may take, in nanoseconds, before the exchange reports that the body has been sent.
    private static let answerTime: Int64 = 250_000_000

    /// Passes the request to libcurl.
    func transfer() {
        guard thread.knowsProxy(of: self) else { return }
        VersionChoice(exchange: self).make()
        guard mayConnect() else { return }
        let sendsWhole = sendsWhole
        guard let lines = RequestLines.make(for: self, sendsWhole: sendsWhole) else {
            return fail(TransferFailure(.invalidArgument, "A header must not contain a line break. Remove it."))
        }
        let easy: EasyHandle
        do throws(TransferFailure) {
            easy = try handleThatIsSetUp(lines, sendsWhole: sendsWhole)
        } catch {
            return fail(error)
        }
        wire = ExchangeWire(
            easy, keepsHeaders: plan.network.keepsHeaders, triesHTTP3: wire.triesHTTP3, at: thread.now)
        direct?.beginRequest()
        limits.endRest()
        machine.beginRequest()
        guard easy.join(connections) else {
            wire.easy = nil
            machine.holdBack()
            return fail(systemFailure(.outOfMemory))
        }
        thread.yielding.add(self, at: thread.now)
        if sendsWhole { recordAllGiven() }
    }

    /// Returns a configured handle. If a reused handle refuses an option, a new one is tried, and the reused one is discarded.
    private func handleThatIsSetUp(_ lines: [String], sendsWhole: Bool) throws(TransferFailure) -> EasyHandle {
        let buffer = receiveBuffer
        var refusal = CURLE_OUT_OF_MEMORY
        for mayBeUsed in [true, false] {
            let handle = thread.takeHandle(buffer: buffer, mayBeUsed: mayBeUsed, cookies: identity.cookies)
            guard let easy = handle else { throw systemFailure(.outOfMemory) }
            try body?.prepare()
            try RequestSetUp(exchange: self, easy: easy).run(headerLines: lines, sendsWhole: sendsWhole)
            guard let code = easy.refusal else { return easy }
            refusal = code
            body?.rewind()
        }
        throw curlFailure(refusal, of: self, facts: ConnectionFacts())
    }

    /// Whether libcurl gets the body in one piece, which it then sends together with the headers: one call and one packet fewer. Not for
    /// a body that must not be sent twice, or that is slowed.
    private var sendsWhole: Bool {
        guard let body, body.length > 0, body.length < RequestBody.shortLength else { return false }
        return machine.hold == .free && !isLimited
    }

    /// Schedules the report that the body has been sent. Most responses arrive at once, so the report matters only if the sender must
    /// wait. For a request that must not be sent twice, it is due at once, because its last bytes were held.
    func recordAllGiven() {
        if case .done = report { return }
        report = .due(machine.hold == .free ? thread.now + Self.answerTime : thread.now)
        thread.watches.drain(self, at: thread.now)
    }

    private var receiveBuffer: EasyHandle.Buffer {
        if let rate = owner.limits.pace?.rate { return .limited(Int(clamping: rate)) }
        // Bytes that are read beyond an allowance cannot be returned either.
        if owner.limits.bytes != nil { return .usual }
        if YieldingMember.isPaced(self) { return .limited(YieldingMember.pacedBuffer) }
        if let size = thread.files.paths.receiveBuffer { return .limited(size) }
        return switch plan.sink {
        case .partial: thread.isCrowded ? .usual : .large
        case .memory: .usual
        }
    }
}
