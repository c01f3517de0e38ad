import LonghaulCore

/// The progress of several transfers together.
public struct GroupProgress: Equatable, Sendable {
    /// How many transfers are in each state.
    public private(set) var totals = SessionTotals()
    /// Bytes moved and safe.
    public private(set) var bytesDone: Int64 = 0
    /// Bytes to move, as far as they are known. A download's length is known when its first response has come.
    public private(set) var bytesTotal: Int64 = 0
    /// How many have an unknown length; while there are any, `bytesTotal` is too small.
    public private(set) var unknownLengths = 0
    /// Bytes a second.
    public private(set) var rate: Int64 = 0

    /// Adds up the given transfers.
    public init(of transfers: some Sequence<TransferSnapshot>) {
        for transfer in transfers {
            switch transfer.state {
            case .waiting: totals.waiting += 1
            case .running, .awaitingResponse: totals.running += 1
            case .paused: totals.paused += 1
            case .succeeded: totals.succeeded += 1
            case .failed: totals.failed += 1
            case .cancelled: totals.cancelled += 1
            }
            bytesDone += transfer.bytesDone
            rate += transfer.rate
            if let length = transfer.bytesTotal {
                bytesTotal += length
            } else {
                unknownLengths += 1
            }
        }
    }

    /// How much of all bytes is done, from 0 to 1; `nil` while a length is not known. 1 for a group that has ended.
    public var fractionCompleted: Double? {
        if isEnded { return 1 }
        guard unknownLengths == 0 else { return nil }
        return bytesTotal > 0 ? min(max(Double(bytesDone) / Double(bytesTotal), 0), 1) : 0
    }

    /// Whether all have ended.
    public var isEnded: Bool { totals.waiting + totals.running + totals.paused == 0 }
}
