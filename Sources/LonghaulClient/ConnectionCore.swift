import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import Synchronization

/// The state that callers and the connection's thread share: pending calls, streams, and frames to send.
final class ConnectionCore: Sendable {
    typealias Answer = Result<ServiceMessage, TransferFailure>

    /// A request that was sent, until its answer is returned.
    private enum Call {
        /// No caller waits yet.
        case sent
        case awaited(CheckedContinuation<Answer, Never>)
        case answered(Answer)
    }

    private struct State {
        var lastNumber: UInt64 = 0
        var calls: [UInt64: Call] = [:]
        var streams: [UInt64: OpenStream] = [:]
        var outbox: [[UInt8]] = []
        var ending: TransferFailure?
    }

    let wake: WakeSignal
    private let state = Mutex(State())

    init() throws(TransferFailure) {
        wake = try .required()
    }

    /// Sends a request and waits for its answer. A cancelled call fails at once; the service may still perform the request.
    func call(_ message: ClientMessage) async throws(TransferFailure) -> ServiceMessage {
        try await answer(to: try send(message))
    }

    /// Sends a request and returns its number for `answer(to:)`. Requests arrive in the order in which they are sent.
    func send(_ message: ClientMessage) throws(TransferFailure) -> UInt64 {
        let number = nextNumber()
        let frame = try Frame.bytes(of: ClientEnvelope(request: number, message: message))
        let hasEnded = state.withLock { state in
            if state.ending == nil {
                state.calls[number] = .sent
                state.outbox.append(frame)
            }
            return state.ending != nil
        }
        if !hasEnded { wake.raise() }
        return number
    }

    /// Waits for the answer to a request; must be called once. A cancelled call fails at once.
    func answer(to number: UInt64) async throws(TransferFailure) -> ServiceMessage {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                attach(number, continuation)
                // A cancellation before the call was registered had no effect.
                if Task.isCancelled { abandon(number) }
            }
        } onCancel: {
            abandon(number)
        }
        return try answer.get()
    }

    /// Requests a stream, which `kind` registers as an open one.
    func open<Buffer>(
        _ message: ClientMessage, as kind: (StreamChannel<Buffer>) -> OpenStream
    ) -> (number: UInt64, channel: StreamChannel<Buffer>) {
        let channel = StreamChannel<Buffer>()
        let number = nextNumber()
        do {
            let frame = try Frame.bytes(of: ClientEnvelope(request: number, message: message))
            let stream = kind(channel)
            let ending = state.withLock { state in
                if state.ending == nil {
                    state.streams[number] = stream
                    state.outbox.append(frame)
                }
                return state.ending
            }
            if let ending { channel.end(.failure(ending)) } else { wake.raise() }
        } catch {
            channel.end(.failure(error))
        }
        return (number, channel)
    }

    /// Ends a stream, and notifies the service that it is no longer read.
    func close(_ number: UInt64) {
        guard let stream = state.withLock({ $0.streams.removeValue(forKey: number) }) else { return }
        stream.end(nil)
        post(stream.farewell(number))
    }

    /// Returns when the connection has ended, or when the task was cancelled.
    func waitForEnd() async {
        let channel = LatestValueChannel<Int64>()
        let number = nextNumber()
        let hasEnded = state.withLock { state in
            // A stream without a request, which only ends with the connection.
            if state.ending == nil { state.streams[number] = .events(channel) }
            return state.ending != nil
        }
        if !hasEnded { _ = try? await channel.next() }
    }

    /// Sends a message without waiting for an answer.
    func post(_ message: ClientMessage) {
        // No caller could use a message that does not fit into a frame.
        guard let frame = try? Frame.bytes(of: ClientEnvelope(request: nextNumber(), message: message)) else { return }
        let hasEnded = state.withLock { state in
            if state.ending == nil { state.outbox.append(frame) }
            return state.ending != nil
        }
        if !hasEnded { wake.raise() }
    }

    /// Ends the connection: all pending and later calls and watches get the failure.
    func end(_ failure: TransferFailure) {
        let ended = state.withLock { state -> State? in
            guard state.ending == nil else { return nil }
            let ended = state
            // Answers that arrived before the end may still be read.
            let answered = state.calls.filter { if case .answered = $0.value { true } else { false } }
            state = State(lastNumber: state.lastNumber, calls: answered, ending: failure)
            return ended
        }
        guard let ended else { return }
        for call in ended.calls.values {
            if case .awaited(let continuation) = call { continuation.resume(returning: .failure(failure)) }
        }
        for stream in ended.streams.values { stream.end(failure) }
        wake.raise()
    }

    /// Why the connection ended; `nil` while it lives.
    var ending: TransferFailure? { state.withLock(\.ending) }

    func takeOutbox() -> [[UInt8]] {
        state.withLock { state in
            defer { state.outbox = [] }
            return state.outbox
        }
    }

    /// Delivers an answer to its caller. Drops an answer whose caller was cancelled.
    func deliver(_ envelope: ServiceEnvelope) {
        let number = envelope.request
        if let stream = state.withLock({ $0.streams[number] }), stream.receive(envelope.message) { return }
        let answer: Answer =
            if case .failed(let failure) = envelope.message {
                .failure(failure)
            } else {
                .success(envelope.message)
            }
        let (continuation, stream) = state.withLock { state in
            (Self.register(answer, to: number, in: &state.calls), state.streams.removeValue(forKey: number))
        }
        continuation?.resume(returning: answer)
        if case .failed(let failure) = envelope.message { stream?.end(failure) } else { stream?.end(nil) }
    }

    /// Returns the caller that waits for the answer; otherwise keeps the answer for a later caller.
    private static func register(
        _ answer: Answer, to number: UInt64, in calls: inout [UInt64: Call]
    ) -> CheckedContinuation<Answer, Never>? {
        switch calls[number] {
        case .awaited(let continuation):
            calls[number] = nil
            return continuation
        case .sent: calls[number] = .answered(answer)
        case .answered, nil: break
        }
        return nil
    }

    private func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    private func attach(_ number: UInt64, _ continuation: CheckedContinuation<Answer, Never>) {
        let answer = state.withLock { state -> Answer? in
            switch state.calls[number] {
            case .sent:
                state.calls[number] = .awaited(continuation)
                return nil
            case .answered(let answer):
                state.calls[number] = nil
                return answer
            case .awaited: preconditionFailure("an answer was read twice")
            case nil: return .failure(state.ending ?? Self.cancelled)
            }
        }
        if let answer { continuation.resume(returning: answer) }
    }

    private func abandon(_ number: UInt64) {
        let call = state.withLock { $0.calls.removeValue(forKey: number) }
        if case .awaited(let continuation) = call { continuation.resume(returning: .failure(Self.cancelled)) }
    }

    private static let cancelled = TransferFailure(
        .interrupted, "The call was cancelled. longhauld may have performed it nevertheless.")
}
