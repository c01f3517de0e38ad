/// Which transfer a thread was at work on when a fault of the program ended the process there.
package struct TrapEntry: Equatable, Sendable {
    /// What was being done with it.
    package enum Work: UInt32, Sendable {
        /// Its record was being decoded.
        case reading = 1
        /// What had happened to it was being handled.
        case handling = 2
    }

    package var id: TransferID
    package var work: Work

    package init(_ id: TransferID, _ work: Work) {
        self.id = id
        self.work = work
    }
}

/// Which transfers are set aside because of the traps that were noted.
package enum TrapPolicy {
    /// The first trap may have come from anywhere, bad memory for one. A transfer that was there both times would end the process
    /// at each start.
    private static let limit = 2

    /// The transfers to be set aside, in the order in which they were first noted. One whose record ended the process while it was read is
    /// not read again.
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

    /// What is said of one that was set aside. `place` is where its record is when it cannot be read.
    package static func failure(of culprit: TrapEntry, place: String) -> TransferFailure {
        let report =
            "Please report it with what `longhaul doctor \(culprit.id)` and `longhaul history \(culprit.id)` say"
        let sentence =
            switch culprit.work {
            case .reading:
                "Longhaul ended twice over the record of this transfer, and has set it aside so that the others go on. \(report); the record is in \(place), and may hold addresses and passwords."
            case .handling:
                "Longhaul ended twice while it was at work on this transfer, and has set it aside so that the others go on. \(report). Retry tries it again."
            }
        return TransferFailure(.internalFault, sentence)
    }
}
