import LonghaulCore

/// The changes of a list of transfers since the last one.
///
/// ```swift
/// var transfers: [TransferSnapshot] = []
/// for try await change in session.changes() {
///     change.apply(to: &transfers)
///     draw(transfers)
/// }
/// ```
///
/// Each property is in order of submission. A view with its own rows first removes, then updates, then inserts.
public struct TransferListChange: Equatable, Sendable {
    /// Whether this is the first change, with the whole list in `inserted`.
    public var isInitial = false
    /// Transfers that were removed, or no longer match the query.
    public var removed: [TransferID] = []
    /// Transfers that changed.
    public var updated: [TransferSnapshot] = []
    /// Transfers that are new, or match the query now.
    public var inserted: [TransferSnapshot] = []

    /// An empty change.
    package init() {}

    var isEmpty: Bool { !isInitial && removed.isEmpty && updated.isEmpty && inserted.isEmpty }

    /// Applies the change to a list in order of submission.
    public func apply(to transfers: inout [TransferSnapshot]) {
        if isInitial { transfers = [] }
        if !removed.isEmpty {
            let gone = Set(removed)
            transfers.removeAll { gone.contains($0.id) }
        }
        for transfer in updated {
            let index = transfers.partitioningIndex { $0.sequence >= transfer.sequence }
            if index < transfers.endIndex, transfers[index].id == transfer.id { transfers[index] = transfer }
        }
        for transfer in inserted {
            let index = transfers.partitioningIndex { $0.sequence >= transfer.sequence }
            if index < transfers.endIndex, transfers[index].id == transfer.id { continue }
            transfers.insert(transfer, at: index)
        }
    }
}

/// A list of transfers in order of submission, kept up to date by changes.
package struct TransferList: Equatable, Sendable {
    package private(set) var transfers: [TransferSnapshot] = []
    private var sequences: [TransferID: Int64] = [:]

    package init() {}

    package subscript(id: TransferID) -> TransferSnapshot? {
        sequences[id].map { transfers[position(of: $0)] }
    }

    package mutating func apply(_ change: TransferListChange) {
        if change.isInitial { sequences = [:] }
        change.apply(to: &transfers)
        for id in change.removed { sequences[id] = nil }
        for transfer in change.inserted { sequences[transfer.id] = transfer.sequence }
    }

    /// The index of the first transfer that was not submitted before `sequence`.
    private func position(of sequence: Int64) -> Int {
        transfers.partitioningIndex { $0.sequence >= sequence }
    }
}
