import LonghaulCore
import LonghaulIPC
import Synchronization

/// What callers and the connection's thread share: calls under way, watches, and frames to send.
final class ConnectionCore: Sendable {
    typealias Answer = Result<ServiceMessage, TransferFailure>

    private struct State {
        var lastNumber: UInt64 = 0
        var calls: [UInt64: CheckedContinuation<Answer, Never>] = [:]
        var watches: [UInt64: WatchChannel] = [:]
        var providers: [UInt64: CredentialChannel] = [:]
        var attendances: [UInt64: NewsChannel<Int64>] = [:]
        var runners: [UInt64: NewsChannel<TaskAssignments>] = [:]
        var outbox: [[UInt8]] = []
        var ending: TransferFailure?

        mutating func removeStreams(_ number: UInt64) -> Streams {
            Streams(
                watch: watches.removeValue(forKey: number), attendance: attendances.removeValue(forKey: number),
                runner: runners.removeValue(forKey: number))
        }
    }

    /// What one request's stream feeds; it is one of these.
    private struct Streams {
        var watch: WatchChannel?
        var attendance: NewsChannel<Int64>?
        var runner: NewsChannel<TaskAssignments>?

        var isEmpty: Bool { watch == nil && attendance == nil && runner == nil }

        func end(_ failure: TransferFailure?) {
            watch?.end(failure.map { .failure($0) } ?? .success(nil))
            attendance?.end(failure.map { .failure($0) } ?? .success(nil))
            runner?.end(failure.map { .failure($0) } ?? .success(nil))
        }
    }

    let wake = WakeSignal()
    private let state = Mutex(State())

    /// Sends a request and waits for its answer. A cancelled call fails at once; what it asked for may still be done.
    func call(_ message: ClientMessage) async throws(TransferFailure) -> ServiceMessage {
        let number = nextNumber()
        let frame = try Frame.bytes(of: ClientEnvelope(request: number, message: message))
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enqueue(frame, number: number, continuation)
                // A cancellation before the call was in the table found nothing there.
                if Task.isCancelled { abandon(number) }
            }
        } onCancel: {
            abandon(number)
        }
        return try answer.get()
    }

    func watch(
        _ session: SessionID, _ selection: TransferSelection, omitsQueued: Bool
    ) -> (number: UInt64, channel: WatchChannel) {
        let channel = WatchChannel()
        let number = nextNumber()
        do {
            let message = ClientMessage.watch(session, selection, omitsQueued: omitsQueued)
            let frame = try Frame.bytes(of: ClientEnvelope(request: number, message: message))
            let ending = state.withLock { state in
                if state.ending == nil {
                    state.watches[number] = channel
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

    func attach(_ session: SessionID) -> (number: UInt64, channel: NewsChannel<Int64>) {
        open(.attach(session)) { $0.attendances[$1] = $2 }
    }

    func runTasks(
        _ session: SessionID, _ runner: TaskRunner
    ) -> (number: UInt64, channel: NewsChannel<TaskAssignments>) {
        open(.runTasks(session, runner)) { $0.runners[$1] = $2 }
    }

    /// Asks for a stream of which only the latest value counts.
    private func open<News>(
        _ message: ClientMessage, _ note: (inout State, UInt64, NewsChannel<News>) -> Void
    ) -> (number: UInt64, channel: NewsChannel<News>) {
        let channel = NewsChannel<News>()
        let number = nextNumber()
        do {
            let frame = try Frame.bytes(of: ClientEnvelope(request: number, message: message))
            let ending = state.withLock { state in
                if state.ending == nil {
                    note(&state, number, channel)
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

    /// Ends a watch, an attendance, or the running of tasks.
    func unwatch(_ number: UInt64) {
        let streams = state.withLock { $0.removeStreams(number) }
        guard !streams.isEmpty else { return }
        streams.end(nil)
        tell(.unwatch(request: number))
    }

    /// The stream of questions about a session's credentials.
    func provide(_ session: SessionID) -> (number: UInt64, channel: CredentialChannel) {
        let channel = CredentialChannel()
        let number = nextNumber()
        do {
            let frame = try Frame.bytes(of: ClientEnvelope(request: number, message: .provideCredentials(session)))
            let ending = state.withLock { state in
                if state.ending == nil {
                    state.providers[number] = channel
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

    func endProviding(_ number: UInt64) {
        let channel = state.withLock { $0.providers.removeValue(forKey: number) }
        guard let channel else { return }
        channel.end(.success(nil))
        tell(.endProviding(request: number))
    }

    /// Says something whose answer is not waited for.
    func tell(_ message: ClientMessage) {
        // What does not fit into a frame is no answer that anybody could use.
        guard let frame = try? Frame.bytes(of: ClientEnvelope(request: nextNumber(), message: message)) else { return }
        let hasEnded = state.withLock { state in
            if state.ending == nil { state.outbox.append(frame) }
            return state.ending != nil
        }
        if !hasEnded { wake.raise() }
    }

    /// Ends the connection: every call and watch under way gets the failure, and so do all later ones.
    func end(_ failure: TransferFailure) {
        let ended = state.withLock { state -> State? in
            guard state.ending == nil else { return nil }
            defer { state = State(lastNumber: state.lastNumber, ending: failure) }
            return state
        }
        guard let ended else { return }
        for call in ended.calls.values { call.resume(returning: .failure(failure)) }
        for watch in ended.watches.values { watch.end(.failure(failure)) }
        for provider in ended.providers.values { provider.end(.failure(failure)) }
        for attendance in ended.attendances.values { attendance.end(.failure(failure)) }
        for runner in ended.runners.values { runner.end(.failure(failure)) }
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

    /// Hands an answer to whom it is for. One that nobody waits for any more is late, and dropped.
    func deliver(_ envelope: ServiceEnvelope) {
        if case .update(let update) = envelope.message {
            state.withLock { $0.watches[envelope.request] }?.merge(update)
            return
        }
        if case .credentialWanted(let question) = envelope.message {
            state.withLock { $0.providers[envelope.request] }?.put(question)
            return
        }
        if case .news(let newest) = envelope.message {
            state.withLock { $0.attendances[envelope.request] }?.tell(newest)
            return
        }
        if case .taskRuns(let assignments) = envelope.message {
            state.withLock { $0.runners[envelope.request] }?.tell(assignments)
            return
        }
        let (call, provider, streams) = state.withLock { state in
            (
                state.calls.removeValue(forKey: envelope.request),
                state.providers.removeValue(forKey: envelope.request), state.removeStreams(envelope.request)
            )
        }
        if case .failed(let failure) = envelope.message {
            call?.resume(returning: .failure(failure))
            provider?.end(.failure(failure))
            streams.end(failure)
        } else {
            call?.resume(returning: .success(envelope.message))
            provider?.end(.success(nil))
            streams.end(nil)
        }
    }

    private func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    private func enqueue(_ frame: [UInt8], number: UInt64, _ continuation: CheckedContinuation<Answer, Never>) {
        let ending = state.withLock { state in
            if state.ending == nil {
                state.calls[number] = continuation
                state.outbox.append(frame)
            }
            return state.ending
        }
        if let ending { continuation.resume(returning: .failure(ending)) } else { wake.raise() }
    }

    private func abandon(_ number: UInt64) {
        let call = state.withLock { $0.calls.removeValue(forKey: number) }
        call?.resume(
            returning: .failure(
                TransferFailure(
                    .interrupted, "The call was cancelled. What it asked for may have been done all the same.")))
    }
}
