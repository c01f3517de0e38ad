package import LonghaulCore
package import LonghaulIPC
import LonghaulSystem

/// A connection to the user's `longhauld`.
///
/// It can have any number of pending calls. When the service stops, pending calls fail with `serviceUnavailable`; the
/// changes of earlier answers are on disk. A call whose task is cancelled fails with `interrupted` at once.
package final class ServiceConnection: Sendable {
    let core: ConnectionCore

    private init(core: ConnectionCore) {
        self.core = core
    }

    deinit {
        close()
    }

    /// Connects. If `startsService` is set and no service is running, starts it first.
    package static func open(startsService: Bool = true) async throws(TransferFailure) -> ServiceConnection {
        try await open(startsService: startsService, environment: ProcessEnvironment.current)
    }

    /// Connects to the service that belongs to an environment.
    package static func open(
        startsService: Bool, environment: [String: String]
    ) async throws(TransferFailure) -> ServiceConnection {
        let core = try ConnectionCore()
        let dialer = try ServiceDialer(environment: environment, startsService: startsService, core: core)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(TransferFailure) {
                    try NativeThread.required {
                        do throws(TransferFailure) {
                            var thread = ConnectionThread(core: core, socket: try dialer.dial())
                            continuation.resume(returning: Result<Void, TransferFailure>.success(()))
                            thread.run()
                        } catch {
                            continuation.resume(returning: .failure(error))
                        }
                    }.detach()
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        } onCancel: {
            core.end(TransferFailure(.interrupted, "Connecting to longhauld was cancelled."))
        }
        try result.get()
        return ServiceConnection(core: core)
    }

    /// Submits transfers; returns after they are on disk. Large batches are split: after a failure, the parts sent
    /// before it stay in the session, under the transfers' keys.
    package func submit(
        _ transfers: [TransferSpec], to session: SessionID
    ) async throws(TransferFailure) -> [SubmissionAnswer] {
        var answers: [SubmissionAnswer] = []
        answers.reserveCapacity(transfers.count)
        for batch in transfers.pieces(of: Self.batch) {
            answers += try await send(Array(batch), to: session).answers()
        }
        return answers
    }

    /// Pauses, resumes, cancels, retries, or removes transfers.
    package func control(
        _ verb: ControlVerb, _ selection: TransferSelection, in session: SessionID
    ) async throws(TransferFailure) -> ControlAnswer {
        guard case .ids(let ids) = selection, ids.count > Self.batch else {
            return try await controlOnce(verb, selection, in: session)
        }
        var whole = ControlAnswer(changed: 0)
        for batch in ids.pieces(of: Self.batch) {
            let answer = try await controlOnce(verb, .ids(Array(batch)), in: session)
            whole.changed += answer.changed
            whole.refusals += answer.refusals
        }
        return whole
    }

    /// Returns one page of transfers. It may have fewer than requested; `hasMore` shows whether others follow.
    package func list(_ query: ListQuery, in session: SessionID) async throws(TransferFailure) -> ListPage {
        guard case .page(let page) = try await send(.list(query), of: session) else { throw .unexpectedAnswer }
        return page
    }

    /// Returns the number of a session's transfers in each state.
    package func totals(of session: SessionID) async throws(TransferFailure) -> SessionTotals {
        guard case .totals(let totals) = try await send(.totals, of: session) else { throw .unexpectedAnswer }
        return totals
    }

    /// Returns the details of one transfer.
    package func show(_ id: TransferID, in session: SessionID) async throws(TransferFailure) -> TransferDetail {
        guard case .detail(let detail) = try await send(.show(id), of: session) else { throw .unexpectedAnswer }
        return detail
    }

    /// Returns the events of one transfer, oldest first.
    package func history(_ id: TransferID, in session: SessionID) async throws(TransferFailure) -> [HistoryEntry] {
        guard case .history(let entries) = try await send(.history(id), of: session) else { throw .unexpectedAnswer }
        return entries
    }

    /// Returns the current limits.
    package func limits(of session: SessionID) async throws(TransferFailure) -> SessionLimits {
        guard case .limits(let limits) = try await send(.limits, of: session) else { throw .unexpectedAnswer }
        return limits
    }

    /// Sets limits; they take effect at once and are stored.
    package func setLimits(_ limits: SessionLimits, of session: SessionID) async throws(TransferFailure) {
        guard case .limits = try await send(.setLimits(limits), of: session) else { throw .unexpectedAnswer }
    }

    /// Compares the session's records, live transfers, and files, and repairs what it can without the user.
    package func reconcile(_ session: SessionID) async throws(TransferFailure) -> ReconcileReport {
        guard case .reconciled(let report) = try await send(.reconcile, of: session) else { throw .unexpectedAnswer }
        return report
    }

    /// Returns the process that runs a session, and whether its app was lost.
    package func info(of session: SessionID) async throws(TransferFailure) -> SessionInfo {
        guard case .info(let info) = try await send(.info, of: session) else { throw .unexpectedAnswer }
        return info
    }

    /// Sets what happens to a session's transfers when the app that runs them is ended by force.
    package func setOwnerLossPolicy(
        _ policy: OwnerLossPolicy, of session: SessionID
    ) async throws(TransferFailure) {
        guard case .info = try await send(.setOwnerLossPolicy(policy), of: session) else { throw .unexpectedAnswer }
    }

    /// Acknowledges a loss, which is then no longer reported.
    package func acknowledgeOwnerLoss(of session: SessionID) async throws(TransferFailure) {
        guard case .info = try await send(.acknowledgeOwnerLoss, of: session) else { throw .unexpectedAnswer }
    }

    /// Acknowledges the damage to a session's queue, which is then no longer reported.
    package func acknowledgeDamage(of session: SessionID) async throws(TransferFailure) {
        guard case .info = try await send(.acknowledgeDamage, of: session) else { throw .unexpectedAnswer }
    }

    /// Returns the current state of the selected transfers, then their changes, latest values only: a slow reader gets
    /// merged updates. There is a first update even if nothing is selected; a large selection arrives in several. One
    /// task may read the stream. It ends by throwing `serviceUnavailable` when the service stops.
    package func watch(
        _ selection: TransferSelection, in session: SessionID
    ) -> AsyncThrowingStream<WatchUpdate, any Error> {
        watch(selection, in: session, WatchDetail())
    }

    /// Returns the same stream with the given detail.
    package func watch(
        _ selection: TransferSelection, in session: SessionID, _ detail: WatchDetail
    ) -> AsyncThrowingStream<WatchUpdate, any Error> {
        let watch = openWatch(selection, in: session, detail)
        return AsyncThrowingStream { try await watch.next() }
    }

    /// Returns the same stream as a value with typed failures.
    package func openWatch(
        _ selection: TransferSelection, in session: SessionID, _ detail: WatchDetail = WatchDetail()
    ) -> Watch {
        Watch(self, core.open(.watch(session, selection, detail), as: OpenStream.watch))
    }

    /// Returns all sessions.
    package func sessions() async throws(TransferFailure) -> [SessionSummary] {
        guard case .sessions(let summaries) = try await core.call(.sessions) else { throw .unexpectedAnswer }
        return summaries
    }

    /// Returns the status of the service.
    package func status() async throws(TransferFailure) -> ServiceStatus {
        guard case .status(let status) = try await core.call(.status) else { throw .unexpectedAnswer }
        return status
    }

    /// Requests a session, so that this process can run it. The service does not use it again while this connection
    /// lives, unless `adopt` requests that; then it waits for the lock. Fails with `invalidState` if the mode does not
    /// allow the release now, and with `sessionInUse` if a third process has the session.
    package func release(
        _ session: SessionID, _ mode: ReleaseMode = .whenHarmless
    ) async throws(TransferFailure) {
        guard case .done = try await core.call(.release(session, mode)) else { throw .unexpectedAnswer }
    }

    /// Makes the service run a session as soon as no other process does, and stay running until then.
    package func adopt(_ session: SessionID) async throws(TransferFailure) {
        guard case .done = try await core.call(.adopt(session)) else { throw .unexpectedAnswer }
    }

    /// Stops the service; transfers resume at its next start. Returns when the service has released its sessions, which
    /// ends this connection.
    package func stopService() async throws(TransferFailure) {
        guard case .done = try await core.call(.stop) else { throw .unexpectedAnswer }
        await core.waitForEnd()
    }

    /// Whether the connection has ended; later requests are not sent.
    package var hasEnded: Bool { core.ending != nil }

    /// Ends the connection.
    package func close() {
        core.end(TransferFailure(.serviceUnavailable, "The connection to longhauld was closed by this program."))
    }

    private static let batch = 2_000

    private func controlOnce(
        _ verb: ControlVerb, _ selection: TransferSelection, in session: SessionID
    ) async throws(TransferFailure) -> ControlAnswer {
        guard case .controlled(let answer) = try await send(.control(verb, selection), of: session) else {
            throw .unexpectedAnswer
        }
        return answer
    }

    /// Sends a command to a session and returns its reply. Throws if the session refuses the command.
    package func send(_ command: SessionCommand, of session: SessionID) async throws(TransferFailure) -> SessionReply {
        guard case .session(let reply) = try await core.call(.session(session, command)) else {
            throw .unexpectedAnswer
        }
        if case .failed(let failure) = reply { throw failure }
        return reply
    }
}

extension Array {
    /// Returns the elements in pieces of at most `count`.
    fileprivate func pieces(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}
