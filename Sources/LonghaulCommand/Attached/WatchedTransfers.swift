import LonghaulCore

/// The state of the transfers that a watcher follows. Queued transfers are only IDs, so that a hundred thousand of them cost
/// little.
struct WatchedTransfers: Equatable, Sendable {
    /// One reportable step of one transfer.
    struct Change: Equatable, Sendable {
        /// The values before; `nil` when it was only queued or is seen for the first time.
        var before: TransferSnapshot?
        var after: TransferSnapshot
    }

    /// The numbers of ended transfers.
    struct Tally: Equatable, Sendable {
        var succeeded = 0
        var failed = 0
        var cancelled = 0
        /// Refused at submission: these never became transfers.
        var refused = 0
    }

    private static let namedFailures = 10

    /// Whether transfers that appear later are followed too (`watch` without identifiers).
    let followsNew: Bool
    /// Followed transfers that have no update yet, or wait for their turn.
    private(set) var queued: Set<TransferID>
    /// The newest values of all other active transfers.
    private(set) var live: [TransferID: TransferSnapshot] = [:]
    /// Transfers followed before the current list, and not contained in it so far.
    private var untold: Set<TransferID>?
    /// A queued transfer, whose reason is shown if nothing else is active.
    private(set) var exampleOfQueued: TransferSnapshot?
    private(set) var tally = Tally()
    /// The first failed transfers, which the summary names.
    private(set) var failures: [TransferSnapshot] = []
    private(set) var status = ExitStatus.success

    init(following ids: some Sequence<TransferID> = [], followsNew: Bool = false) {
        queued = Set(ids)
        self.followsNew = followsNew
    }

    mutating func follow(_ id: TransferID) {
        queued.insert(id)
    }

    var isFinished: Bool { queued.isEmpty && live.isEmpty }

    /// The number of followed transfers, including ended ones.
    var count: Int { queued.count + live.count + tally.succeeded + tally.failed + tally.cancelled + tally.refused }

    /// Whether all remaining transfers need the user.
    var needsPerson: Bool {
        queued.isEmpty && !live.isEmpty
            && live.values.allSatisfy {
                if case .waiting(let waiting) = $0.state {
                    waiting.reason == .credentials && !waiting.isBeingAnswered
                } else {
                    false
                }
            }
    }

    /// Stores the newest values of a transfer; returns `nil` if it is not followed or nothing changed.
    mutating func apply(_ transfer: TransferSnapshot) -> Change? {
        untold?.remove(transfer.id)
        let before = live[transfer.id]
        let wasQueued = queued.contains(transfer.id)
        // After a reconnection, ended transfers are reported again.
        guard before != nil || wasQueued || (followsNew && !transfer.state.isEnded) else { return nil }
        if case .waiting(let waiting) = transfer.state, waiting.reason == .turn {
            let isNews = before != nil || (count <= 1 && exampleOfQueued?.state != transfer.state)
            live[transfer.id] = nil
            queued.insert(transfer.id)
            exampleOfQueued = transfer
            return isNews ? Change(before: before, after: transfer) : nil
        }
        queued.remove(transfer.id)
        if exampleOfQueued?.id == transfer.id { exampleOfQueued = nil }
        guard before != transfer else { return nil }
        live[transfer.id] = transfer.state.isEnded ? nil : transfer
        end(transfer)
        return Change(before: before, after: transfer)
    }

    /// Starts a new list of all active transfers. The service itself reports named transfers that are missing.
    mutating func beginList() {
        untold = followsNew ? queued.union(live.keys) : nil
    }

    /// Ends the list; forgets and returns the transfers that it did not contain.
    mutating func completeList() -> [TransferID] {
        let gone = untold?.filter { remove($0) }.sorted() ?? []
        untold = nil
        return gone
    }

    /// Counts a success; returns whether the transfer was followed.
    mutating func succeed(_ id: TransferID) -> Bool {
        guard forget(id) else { return false }
        tally.succeeded += 1
        return true
    }

    /// Forgets a removed transfer; returns whether it was followed.
    mutating func remove(_ id: TransferID) -> Bool {
        guard forget(id) else { return false }
        tally.cancelled += 1
        status = status.joined(with: .mixed)
        return true
    }

    private mutating func forget(_ id: TransferID) -> Bool {
        untold?.remove(id)
        if exampleOfQueued?.id == id { exampleOfQueued = nil }
        return queued.remove(id) != nil || live.removeValue(forKey: id) != nil
    }

    /// Counts a refused submission.
    mutating func refuse(_ failure: TransferFailure) {
        tally.refused += 1
        status = status.joined(with: ExitStatus(failure.code))
    }

    private mutating func end(_ transfer: TransferSnapshot) {
        switch transfer.state {
        case .succeeded: tally.succeeded += 1
        case .failed(let failure):
            tally.failed += 1
            if failures.count < Self.namedFailures { failures.append(transfer) }
            status = status.joined(with: ExitStatus(failure.code))
        case .cancelled:
            tally.cancelled += 1
            status = status.joined(with: .mixed)
        case .waiting, .running, .awaitingResponse, .paused: break
        }
    }
}
