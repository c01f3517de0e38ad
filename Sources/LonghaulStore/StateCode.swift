import LonghaulCore

/// A state as one small number, so that transfers can be counted, found and queued without decoding anything.
/// The numbers are stored: cases are added, never renumbered.
struct StateCode: Equatable {
    /// The hundreds say which state, the rest which reason or phase.
    let number: Int64

    init(number: Int64) {
        self.number = number
    }

    init(_ state: TransferState) {
        number =
            switch state {
            case .waiting(let waiting): Int64(waiting.reason.rawValue)
            case .running(let phase): 100 + Int64(phase.rawValue)
            case .awaitingResponse: 200
            case .paused: 300
            case .succeeded: 400
            case .failed: 500
            case .cancelled: 600
            }
    }

    /// What a live transfer does; `nil` for one that has ended, and for a number this program does not know.
    var queueKind: QueueEntry.Kind? {
        switch number {
        case 0..<100: Waiting.Reason(rawValue: Int(number)).map { .waiting($0) }
        case 100..<200: TransferState.Phase(rawValue: Int(number) - 100).map { .running($0) }
        case 200: .awaitingResponse
        case 300: .paused
        default: nil
        }
    }

    /// The counter of the session's totals that it belongs to.
    var counter: WritableKeyPath<SessionTotals, Int>? {
        switch number / 100 {
        case 0: \.waiting
        case 1, 2: \.running
        case 3: \.paused
        case 4: \.succeeded
        case 5: \.failed
        case 6: \.cancelled
        default: nil
        }
    }
}
