import LonghaulCore
import LonghaulSystem
import Synchronization

/// Runs one comparison at a time in three stages: the loop lists the live transfers, a separate thread inspects records and files, and
/// the loop repairs and replies.
final class ReconcileCoordinator: Sendable {
    typealias Reply = @Sendable (SessionReply) -> Void

    private struct State {
        /// The callers that wait for the current comparison.
        var waiting: [Reply] = []
        var isStopping = false
        var thread: NativeThread?
    }

    private let layout: SessionLayout
    private let anchors: PathAnchors
    private let now: @Sendable () -> WallTime
    private let mailbox: Mailbox
    private let state = Mutex(State())

    init(
        layout: SessionLayout, anchors: PathAnchors, mailbox: Mailbox, now: @escaping @Sendable () -> WallTime
    ) {
        self.layout = layout
        self.anchors = anchors
        self.now = now
        self.mailbox = mailbox
    }

    /// Whether a caller waits for a comparison.
    var isBusy: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Begins a comparison. A caller that arrives during one gets its result.
    func begin(_ reply: @escaping Reply) {
        let isFirst = state.withLock { state in
            state.waiting.append(reply)
            return state.waiting.count == 1
        }
        guard isFirst else { return }
        let isOpen = mailbox.put([.live { [self] live in survey(live) }])
        if !isOpen { answer(.failed(.sessionIsClosing)) }
    }

    /// Aborts a comparison and waits until its thread ends.
    func stop() {
        let thread = state.withLock { state in
            state.isStopping = true
            defer { state.thread = nil }
            return state.thread
        }
        thread?.join()
    }

    /// Called on the loop's thread, which must not wait for files.
    private func survey(_ live: Set<TransferID>, isFirst: Bool = true) {
        let earlier = state.withLock { state in
            defer { state.thread = nil }
            return state.thread
        }
        // It has delivered its result and is about to end.
        earlier?.join()
        do throws(TransferFailure) {
            let thread = try NativeThread.required { [self] in compareFiles(live, isFirst: isFirst) }
            state.withLock { $0.thread = thread }
        } catch {
            answer(.failed(error))
        }
    }

    private func compareFiles(_ live: Set<TransferID>, isFirst: Bool) {
        let place = TrapPlace(layout.traps)
        defer { place.end() }
        do throws(TransferFailure) {
            let survey = FileSurvey(layout: layout, anchors: anchors, live: live, now: now())
            let draft = try survey.run { [self] in !state.withLock { $0.isStopping } }
            guard let draft else { return answer(.failed(.sessionIsClosing)) }
            let isOpen = mailbox.put([.reconcile(draft) { [self] reply in answer(reply) }])
            if !isOpen { answer(.failed(.sessionIsClosing)) }
        } catch {
            if error.code == .storeDamaged, isFirst {
                // The loop repairs the store, and the comparison runs once more.
                let isOpen = mailbox.put([.damaged(error), .live { [self] live in survey(live, isFirst: false) }])
                return isOpen ? () : answer(.failed(.sessionIsClosing))
            }
            answer(.failed(error))
        }
    }

    private func answer(_ reply: SessionReply) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for tell in waiting { tell(reply) }
    }
}
