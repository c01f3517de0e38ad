import LonghaulCore

/// The combined progress of several transfers.
public struct GroupProgress: Equatable, Sendable {
    /// The number of waiting transfers.
    public private(set) var waiting = 0
    /// The number of running transfers, including those that wait for a response.
    public private(set) var running = 0
    /// The number of paused transfers.
    public private(set) var paused = 0
    /// The number of succeeded transfers.
    public private(set) var succeeded = 0
    /// The number of failed transfers.
    public private(set) var failed = 0
    /// The number of cancelled transfers.
    public private(set) var cancelled = 0
    /// Bytes transferred so far.
    public private(set) var bytesDone: Int64 = 0
    /// Bytes per second of all running transfers.
    public private(set) var rate: Int64 = 0
    /// How many transfers have an unknown length.
    package private(set) var unknownLengths = 0
    private var knownBytes: Int64 = 0

    /// Adds up transfers.
    public init(of transfers: some Sequence<TransferSnapshot>) {
        for transfer in transfers {
            switch transfer.state {
            case .waiting: waiting += 1
            case .running, .awaitingResponse: running += 1
            case .paused: paused += 1
            case .succeeded: succeeded += 1
            case .failed: failed += 1
            case .cancelled: cancelled += 1
            }
            bytesDone += transfer.bytesDone
            rate += transfer.rate
            if let length = transfer.bytesTotal {
                knownBytes += length
            } else if transfer.state.isEnded {
                knownBytes += transfer.bytesDone
            } else {
                unknownLengths += 1
            }
        }
    }

    /// The length of all transfers together. `nil` while a length is unknown: a download's is learned from its first response.
    public var bytesTotal: Int64? { unknownLengths == 0 ? knownBytes : nil }

    /// The fraction of the bytes that is done, from 0 to 1. `nil` while a length is unknown, and 1 if all transfers have ended.
    public var fractionCompleted: Double? {
        if isEnded { return 1 }
        return bytesTotal.map { $0 > 0 ? min(max(Double(bytesDone) / Double($0), 0), 1) : 0 }
    }

    /// The time that the rest takes at the present rate. `nil` if no transfer is running or a length is unknown.
    public var timeRemaining: Duration? {
        bytesTotal.flatMap { TransferSnapshot.timeRemaining(for: $0 - bytesDone, rate: rate) }
    }

    /// Whether all transfers have ended, as in a group without transfers.
    public var isEnded: Bool { waiting + running + paused == 0 }
}
