import LonghaulCore

/// What a watcher knows about the transfers it follows. It keeps little about those that merely queue, so that a hundred
/// thousand of them cost little.
struct WatchBook: Equatable, Sendable {
    /// One step of one transfer that is worth telling.
    struct Change: Equatable, Sendable {
        /// The values before; `nil` when it was only queued or is seen for the first time.
        var before: TransferSnapshot?
        var after: TransferSnapshot
    }

    /// How many have ended, and how.
    struct Tally: Equatable, Sendable {
        var succeeded = 0
        var failed = 0
        var cancelled = 0
        /// Refused at submission: these never became transfers.
        var refused = 0
    }

    /// Whether transfers that appear later are followed too (`watch` without identifiers).
    let followsNew: Bool
    /// Followed, but nothing was heard of them yet, or they only wait for their turn.
    private(set) var queued: Set<TransferID>
    /// The newest values of all other live ones.
    private(set) var live: [TransferID: TransferSnapshot] = [:]
    /// Those that were followed when the list was told anew, and were not told again yet.
    private var untold: Set<TransferID>?
    /// A queued one, to say why it is queued when there is nothing else to show.
    private(set) var exampleOfQueued: TransferSnapshot?
    private(set) var tally = Tally()
    private(set) var status = ExitStatus.success

    init(following ids: some Sequence<TransferID> = [], followsNew: Bool = false) {
        queued = Set(ids)
        self.followsNew = followsNew
    }

    mutating func follow(_ id: TransferID) {
        queued.insert(id)
    }

    var isFinished: Bool { queued.isEmpty && live.isEmpty }

    /// How many are followed in all.
    var count: Int { queued.count + live.count + tally.succeeded + tally.failed + tally.cancelled + tally.refused }

    /// Whether all that is left needs a person: nothing will change by itself.
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

    /// Takes the newest values of one transfer; `nil` when they are nothing to this watcher, or nothing new.
    mutating func apply(_ transfer: TransferSnapshot) -> Change? {
        untold?.remove(transfer.id)
        let before = live[transfer.id]
        let wasQueued = queued.contains(transfer.id)
        // One that had ended before, told again after a reconnection, or one of somebody else.
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
        end(transfer.state)
        return Change(before: before, after: transfer)
    }

    /// Everything that is live is told anew. Whoever follows what was named is told of what is not there.
    mutating func beginList() {
        untold = followsNew ? queued.union(live.keys) : nil
    }

    /// Everything that is live was told; forgets what is not there any more, and says which.
    mutating func completeList() -> [TransferID] {
        let gone = untold?.filter { remove($0) }.sorted() ?? []
        untold = nil
        return gone
    }

    /// Counts one that has succeeded; says whether it was followed.
    mutating func succeed(_ id: TransferID) -> Bool {
        guard forget(id) else { return false }
        tally.succeeded += 1
        return true
    }

    /// Forgets one that somebody removed; says whether it was followed.
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

    /// Counts one that was refused before it became a transfer.
    mutating func refuse(_ failure: TransferFailure) {
        tally.refused += 1
        status = status.joined(with: ExitStatus(failure.code))
    }

    private mutating func end(_ state: TransferState) {
        switch state {
        case .succeeded: tally.succeeded += 1
        case .failed(let failure):
            tally.failed += 1
            status = status.joined(with: ExitStatus(failure.code))
        case .cancelled:
            tally.cancelled += 1
            status = status.joined(with: .mixed)
        case .waiting, .running, .awaitingResponse, .paused: break
        }
    }
}
