import LonghaulCore
import LonghaulStore

/// The latest transfers that had not ended when they were looked at, by what they ask for. Each is read once, so that a command costs the
/// same however long the queue is; one that lies behind ten thousand later ones is not found.
struct EqualTransfers {
    private static let most = 10_000

    private var ids: [Int: [TransferID]] = [:]
    private var count = 0
    private var latest: Int64 = 0
    private var updatedFor: WallTime?

    /// Those that ask for the same as this, or seem to.
    subscript(spec: TransferSpec) -> [TransferID] { ids[spec.equalityHash] ?? [] }

    /// Takes in what was submitted since the last time. The lines of a list ask about the same date, and those before them do not count.
    mutating func update(for date: WallTime, from store: Store) throws(TransferFailure) {
        guard updatedFor != date else { return }
        if count > 2 * Self.most { self = EqualTransfers() }
        updatedFor = date
        try store.latestSpecs(after: latest, limit: Self.most) { sequence, id, spec in
            ids[spec.equalityHash, default: []].append(id)
            count += 1
            latest = max(latest, sequence)
        }
    }
}

extension SessionLoop {
    /// The transfer that somebody who asks for this asked for before that date; what holds it back is lifted.
    func equalTransfer(to spec: TransferSpec, before date: WallTime) throws(TransferFailure) -> TransferID? {
        guard spec.options.key == nil else { return nil }
        try turns.equals.update(for: date, from: store)
        // Identifiers begin with the date. After the clock was set back a few are passed over.
        let end = TransferID(now: date, random: (0, 0))
        for id in turns.equals[spec] where id < end {
            guard let record = try transfer(id)?.record, !record.state.isEnded, record.spec.asksForTheSame(as: spec)
            else { continue }
            if let verb = record.state.verbForJoiner { try feed(id, .command(verb)) }
            return id
        }
        return nil
    }
}

extension TransferState {
    /// What moves it on for somebody who asks for the same once more, and means now. A date that the server named stays.
    fileprivate var verbForJoiner: ControlVerb? {
        switch self {
        case .paused: .resume
        case .waiting(let waiting) where waiting.reason == .retry: .retry
        case .waiting, .running, .awaitingResponse, .succeeded, .failed, .cancelled: nil
        }
    }
}
