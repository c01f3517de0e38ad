import LonghaulCore

/// A state as one small number, so that transfers can be counted, found, and queued without decoding. The numbers are stored: cases are
/// added, never renumbered.
struct StateCode: Equatable {
    /// The hundreds are the state, the rest is the reason or phase.
    let number: Int64

    init(number: Int64) {
        self.number = number
    }

    init(_ state: TransferState) {
        number =
            switch state {
            case .waiting(let waiting): Int64(waiting.reason.wireNumber)
            case .running(let phase): 100 + Int64(phase.wireNumber)
            case .awaitingResponse: 200
            case .paused: 300
            case .succeeded: 400
            case .failed: 500
            case .cancelled: 600
            }
    }

    /// The activity of an unended transfer; `nil` for one that has ended, and for an unknown number.
    var queueKind: QueueEntry.Kind? {
        switch number {
        case 0..<100: Waiting.Reason(wireNumber: Int(number)).map { .waiting($0) }
        case 100..<200: TransferState.Phase(wireNumber: Int(number) - 100).map { .running($0) }
        case 200: .awaitingResponse
        case 300: .paused
        default: nil
        }
    }

    /// Counts transfers in this state; `false` for an unknown number.
    @discardableResult
    func count(_ difference: Int, in totals: inout SessionTotals) -> Bool {
        switch number / 100 {
        case 0: totals.waiting += difference
        case 1, 2: totals.running += difference
        case 3: totals.paused += difference
        case 4: totals.succeeded += difference
        case 5: totals.failed += difference
        case 6: totals.cancelled += difference
        default: return false
        }
        return true
    }
}
