import LonghaulCore
import LonghaulSystem

/// How long an app that is about to leave stays for transfers that are better ended here.
struct GracePeriod {
    /// The transfers to wait for.
    let transfers: Set<TransferID>
    let end: ContinuousClock.Instant

    /// The transfers of a plan for which the app waits; `nil` if there are none. The wait lasts until `end`, or until
    /// the next plan is due: not at once, however soon a transfer may end.
    init?(_ plan: HandoffPolicy.Plan, until end: ContinuousClock.Instant) {
        guard case .stay(let date) = plan.departure else { return nil }
        transfers = Set(
            plan.actions.filter { _, action in
                switch action {
                case .finishHere, .awaitAnswer, .suspend: true
                case .keep, .handOver: false
                }
            }.keys)
        guard !transfers.isEmpty else { return nil }
        // On the clock that does not jump.
        self.end = min(end, .now + max(.milliseconds(50), date - SystemClock.wallTime()))
    }

    /// Returns when none of the transfers is active, at `end`, when `interruption` ends, or when the task is cancelled.
    func pass(in session: InProcessBackend, interruption: AsyncStream<Never>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await waitForTransfers(in: session) }
            // Cut short if one of the others ends first.
            group.addTask { try? await Task.sleep(until: end, clock: .continuous) }
            group.addTask { for await _ in interruption {} }
            await group.next()
            group.cancelAll()
        }
    }

    private func waitForTransfers(in session: InProcessBackend) async {
        var left = transfers
        // A session that cannot be watched was closed: no transfer is active.
        guard let feed = try? await session.watch(.ids(Array(transfers))) else { return }
        while !left.isEmpty, let update = try? await feed.next() {
            left.subtract(update.removed)
            left.subtract(update.changed.filter { !$0.state.isUnderWay }.map(\.id))
        }
    }
}

extension TransferState {
    fileprivate var isUnderWay: Bool {
        switch self {
        case .running, .awaitingResponse: true
        case .waiting, .paused, .succeeded, .failed, .cancelled: false
        }
    }
}
