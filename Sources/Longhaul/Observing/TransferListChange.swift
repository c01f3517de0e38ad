import LonghaulCore

/// What happened to a list of transfers since the last change, latest values only.
///
/// Each part is in order of submission. ``TransferList`` applies changes; a screen that keeps its own rows removes, then
/// updates, then inserts.
public struct TransferListChange: Equatable, Sendable {
    /// Whether this is the whole list at the beginning: everything is in `inserted`, which may be empty.
    public var isInitial = false
    /// Those that are gone, or no longer match the query.
    public var removed: [TransferID] = []
    /// Those with new values.
    public var updated: [TransferSnapshot] = []
    /// Those that are new, or match the query now.
    public var inserted: [TransferSnapshot] = []

    /// No change.
    public init() {}

    var isEmpty: Bool { !isInitial && removed.isEmpty && updated.isEmpty && inserted.isEmpty }
}

/// A list of transfers in order of submission, kept up to date by changes.
///
/// ```swift
/// var list = TransferList()
/// for try await change in session.changes() {
///     list.apply(change)
///     draw(list.transfers)
/// }
/// ```
public struct TransferList: Equatable, Sendable {
    /// In order of submission.
    public private(set) var transfers: [TransferSnapshot] = []
    private var sequences: [TransferID: Int64] = [:]

    /// An empty list.
    public init() {}

    /// The transfer with this identifier, if it is in the list.
    public subscript(id: TransferID) -> TransferSnapshot? {
        sequences[id].map { transfers[position(of: $0)] }
    }

    /// Makes one change.
    public mutating func apply(_ change: TransferListChange) {
        if change.isInitial { self = TransferList() }
        if !change.removed.isEmpty {
            for id in change.removed { sequences[id] = nil }
            transfers.removeAll { sequences[$0.id] == nil }
        }
        for transfer in change.updated where sequences[transfer.id] != nil {
            transfers[position(of: transfer.sequence)] = transfer
        }
        for transfer in change.inserted where sequences[transfer.id] == nil {
            transfers.insert(transfer, at: position(of: transfer.sequence))
            sequences[transfer.id] = transfer.sequence
        }
    }

    /// The index of the first transfer that was not submitted before `sequence`.
    private func position(of sequence: Int64) -> Int {
        transfers.partitioningIndex { $0.sequence >= sequence }
    }
}
