import LonghaulCore
import LonghaulStore

/// The transfers that were submitted before a date and had not ended when they were looked through, by what they ask for: the
/// lines of a long list ask one after the other, and all about the same date.
struct EqualTransfers {
    private(set) var before: WallTime?
    private var ids: [Int: [TransferID]] = [:]

    subscript(spec: TransferSpec) -> [TransferID] { ids[spec.equalityHash] ?? [] }

    init() {}

    init(before date: WallTime, in store: Store) throws(TransferFailure) {
        before = date
        try store.liveSpecs(before: date) { id, spec in ids[spec.equalityHash, default: []].append(id) }
    }
}

extension SessionLoop {
    /// The transfer that somebody who asks for this asked for before; one that is paused goes on.
    func equalTransfer(to spec: TransferSpec, before date: WallTime) throws(TransferFailure) -> TransferID? {
        guard spec.options.key == nil else { return nil }
        if equals.before != date { equals = try EqualTransfers(before: date, in: store) }
        for id in equals[spec] {
            guard let record = try transfer(id)?.record, !record.state.isEnded, record.spec.asksForTheSame(as: spec)
            else { continue }
            if record.state == .paused { try feed(id, .command(.resume)) }
            return id
        }
        return nil
    }
}
