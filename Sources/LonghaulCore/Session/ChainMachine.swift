/// Transfers that wait for a predecessor to end, and the effect of that end on them.
///
/// Cycles cannot occur: a new transfer has no followers, and `TransferAdjustment.resolved` refuses to close a cycle.
package struct ChainMachine: Equatable, Sendable {
    private struct Follower: Equatable, Sendable {
        var predecessor: TransferID
        var followsFailure: Bool
    }

    private var followers: [TransferID: Follower] = [:]
    /// The inverse of `followers`, by predecessor.
    private var following: [TransferID: Set<TransferID>] = [:]

    package init() {}

    package var isEmpty: Bool { followers.isEmpty }

    /// Tracks a change of a transfer, and releases its followers if it ended.
    mutating func update(_ before: TransferRecord?, _ after: TransferRecord?) -> [SessionEffect] {
        guard let id = (after ?? before)?.id else { return [] }
        keep(id, after)
        let hasEnded = before?.state.isEnded == false && after?.state.isEnded ?? true
        return hasEnded ? release(id, after?.endForFollowers ?? .gone) : []
    }

    /// Registers a transfer that an earlier owner left, and releases it if its predecessor has ended or is gone.
    mutating func find(_ record: TransferRecord, after predecessor: TransferRecord?) -> [SessionEffect] {
        keep(record.id, record)
        guard let follower = followers[record.id] else { return [] }
        if let predecessor, !predecessor.state.isEnded { return [] }
        return release(follower.predecessor, predecessor?.endForFollowers ?? .gone)
    }

    private mutating func keep(_ id: TransferID, _ record: TransferRecord?) {
        let options = record.flatMap { $0.state.isEnded ? nil : $0.spec.options }
        let follower = options.flatMap { options in
            options.predecessor.map { Follower(predecessor: $0, followsFailure: options.followsFailure) }
        }
        guard followers[id] != follower else { return }
        if let old = followers[id] { forget(id, of: old.predecessor) }
        followers[id] = follower
        if let follower { following[follower.predecessor, default: []].insert(id) }
    }

    private mutating func forget(_ id: TransferID, of predecessor: TransferID) {
        following[predecessor]?.remove(id)
        if following[predecessor]?.isEmpty == true { following[predecessor] = nil }
    }

    /// Releases the followers of an ended transfer. A follower that fails releases its own followers in turn, however long the chain is.
    private mutating func release(_ id: TransferID, _ end: PredecessorEnd) -> [SessionEffect] {
        var effects: [SessionEffect] = []
        var ended = [(id: id, end: end)]
        while let next = ended.popLast() {
            for id in (following.removeValue(forKey: next.id) ?? []).sorted() {
                guard let follower = followers.removeValue(forKey: id) else { continue }
                let failure = follower.followsFailure ? nil : next.end.failure(of: next.id)
                effects.append(.feed(id, .predecessorEnded(failure)))
                if failure != nil { ended.append((id, .failed)) }
            }
        }
        return effects
    }
}

/// The end of a predecessor, as its followers see it.
private enum PredecessorEnd {
    case succeeded
    case failed
    case cancelled
    case gone

    func failure(of id: TransferID) -> TransferFailure? {
        switch self {
        case .succeeded: nil
        case .failed:
            TransferFailure(
                .predecessorFailed, "The predecessor, transfer \(id), failed. Retry to start this transfer anyway.")
        case .cancelled:
            TransferFailure(
                .predecessorFailed,
                "The predecessor, transfer \(id), was cancelled. Retry to start this transfer anyway.")
        case .gone:
            TransferFailure(
                .predecessorFailed,
                "The predecessor, transfer \(id), was removed. Retry to start this transfer anyway.")
        }
    }
}

extension TransferRecord {
    fileprivate var endForFollowers: PredecessorEnd {
        switch state {
        case .cancelled: .cancelled
        case .succeeded: .succeeded
        case .failed, .waiting, .running, .awaitingResponse, .paused: .failed
        }
    }
}

extension TransferSpec {
    /// Returns the spec without a predecessor that has already ended. Fails if the transfer could never start.
    package func following(
        _ find: (TransferID) throws(TransferFailure) -> TransferRecord?
    ) throws(TransferFailure) -> TransferSpec {
        guard let id = options.predecessor, try !id.isAwaited(afterAnyEnd: options.followsFailure, find) else {
            return self
        }
        var spec = self
        spec.options.predecessor = nil
        return spec
    }
}

extension TransferAdjustment {
    /// Returns the change without a predecessor that has ended. Fails if the transfer cannot follow it.
    package func resolved(
        for id: TransferID, _ find: (TransferID) throws(TransferFailure) -> TransferRecord?
    ) throws(TransferFailure) -> TransferAdjustment {
        guard let predecessor, let other = predecessor.id else { return self }
        var next: TransferID? = other
        while let current = next {
            guard current != id else {
                throw TransferFailure(
                    .invalidArgument,
                    "The transfer \(other) already waits for this one, so this one cannot start after it.")
            }
            next = try find(current)?.spec.options.predecessor
        }
        guard try !other.isAwaited(afterAnyEnd: predecessor.followsFailure, find) else { return self }
        var change = self
        change.predecessor = Predecessor(nil)
        return change
    }
}

extension TransferID {
    /// Whether a follower has to wait for this transfer. Fails if the follower could never start.
    fileprivate func isAwaited(
        afterAnyEnd: Bool, _ find: (TransferID) throws(TransferFailure) -> TransferRecord?
    ) throws(TransferFailure) -> Bool {
        guard let predecessor = try find(self) else {
            throw TransferFailure(
                .unknownTransfer, "Cannot start after transfer \(self): there is no such transfer in this session.")
        }
        guard predecessor.state.isEnded else { return true }
        if !afterAnyEnd, let failure = predecessor.endForFollowers.failure(of: self) { throw failure }
        return false
    }
}

/// The end of a predecessor.
extension TransferMachine {
    /// Starts waiting for a slot, or fails with `failure` if the predecessor did not succeed.
    mutating func follow(_ failure: TransferFailure?, at moment: Moment) -> [TransferAction] {
        guard record.stopFollowing() else { return [] }
        if let failure { return fail(failure, at: moment) }
        guard case .waiting(let waiting) = record.state, waiting.reason == .predecessor else { return [] }
        return waitForTurn(at: moment)
    }
}

extension TransferRecord {
    /// Removes the predecessor. Returns `false` if a command ended the transfer or removed the predecessor first.
    fileprivate mutating func stopFollowing() -> Bool {
        guard !state.isEnded, spec.options.predecessor != nil else { return false }
        spec.options.predecessor = nil
        return true
    }

    /// Returns the first reason to wait: the predecessor, the start time, or a slot.
    func waitBeforeTurn(at now: WallTime) -> Waiting {
        if spec.options.predecessor != nil { return Waiting(.predecessor, since: now) }
        if beginsBy(now) { return Waiting(.turn, since: now) }
        return Waiting(.notBefore, since: now, until: spec.options.earliestBeginDate)
    }
}
