/// The transfer that a thread was processing when a bug ended the process.
package struct TrapEntry: Equatable, Sendable {
    /// The kind of work.
    package enum Work: UInt32, Sendable {
        /// Decoding the record.
        case reading = 1
        /// Handling an event.
        case handling = 2
    }

    package var id: TransferID
    package var work: Work

    package init(_ id: TransferID, _ work: Work) {
        self.id = id
        self.work = work
    }
}

/// Decides which transfers to quarantine after traps.
package enum TrapPolicy {
    /// The first trap may have any cause, such as bad memory. A transfer that was involved in both would end the
    /// process at each start.
    private static let limit = 2

    /// Returns the transfers to quarantine, in the order in which they were first recorded. A record whose decoding
    /// ended the process is not read again.
    package static func culprits(of entries: [TrapEntry]) -> [TrapEntry] {
        var counts: [TransferID: Int] = [:]
        for entry in entries { counts[entry.id, default: 0] += 1 }
        var culprits: [TrapEntry] = []
        for entry in entries where counts.removeValue(forKey: entry.id) ?? 0 >= limit {
            let isUnreadable = entries.contains(TrapEntry(entry.id, .reading))
            culprits.append(TrapEntry(entry.id, isUnreadable ? .reading : .handling))
        }
        return culprits
    }

    /// Returns the failure of a quarantined transfer. `place` is the directory of its record if the record cannot be
    /// read.
    package static func failure(of culprit: TrapEntry, place: String) -> TransferFailure {
        switch culprit.work {
        case .reading:
            TransferFailure(
                .internalFault,
                "Longhaul crashed twice while reading the record of this transfer and has quarantined it, so that the others continue. Please report this with the output of longhaul doctor \(culprit.id) and longhaul history \(culprit.id). The record is in \(place) and may contain addresses and passwords."
            )
        case .handling:
            TransferFailure(
                .internalFault,
                "Longhaul crashed twice while processing this transfer and has stopped it, so that the others continue. Please report this with the output of longhaul doctor \(culprit.id) and longhaul history \(culprit.id). A retry starts it again."
            )
        }
    }
}
