import CCurl
import LonghaulCore
import LonghaulFiles
import LonghaulSystem

extension Exchange {
    /// How long an answer may take, in nanoseconds, before it is reported that the body is out.
    private static let answerTime: Int64 = 250_000_000

    /// Hands the request to libcurl.
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
        machine.ask()
        guard easy.join(connections) else {
            wire.easy = nil
            machine.holdBack()
            return fail(systemFailure(.outOfMemory))
        }
        thread.yielding.add(self, at: thread.now)
        if sendsWhole { noteAllGiven() }
    }

    /// What a used handle refuses, a new one may take: then the used one is not used again.
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

    /// Whether the body is given to libcurl in one piece, which then leaves with the head: one call and one packet fewer. A
    /// body that may not be sent twice is not, nor one that is slowed down.
    private var sendsWhole: Bool {
        guard let body, body.length > 0, body.length < RequestBody.shortLength else { return false }
        return machine.hold == .free && !isLimited
    }

    /// Most answers come at once: only one that keeps a sender waiting is worth a word before it. What may not be
    /// sent twice has said so before, when its last bytes were held.
    func noteAllGiven() {
        if case .done = report { return }
        report = .due(machine.hold == .free ? thread.now + Self.answerTime : thread.now)
        thread.watches.drain(self, at: thread.now)
    }

    private var receiveBuffer: EasyHandle.Buffer {
        if let rate = owner.limits.pace?.rate { return .limited(Int(clamping: rate)) }
        // What is read beyond an allowance cannot be given back either.
        if owner.limits.bytes != nil { return .usual }
        if YieldingMember.isPaced(self) { return .limited(YieldingMember.pacedBuffer) }
        if let size = thread.files.paths.receiveBuffer { return .limited(size) }
        return switch plan.sink {
        case .partial: thread.isCrowded ? .usual : .large
        case .memory: .usual
        }
    }
}
