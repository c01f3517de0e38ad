import Longhaul
import LonghaulCore

/// The progress of continued work, in units that change with every kilobyte of a file of a terabyte: the system first ends the work whose
/// progress stalls.
struct WorkProgress: Equatable {
    private static let unitsPerTransfer: Int64 = 1_000_000_000

    let total: Int64
    let completed: Int64

    init(_ transfers: [TransferSnapshot]) {
        total = Int64(transfers.count) * Self.unitsPerTransfer
        completed = transfers.reduce(0) { $0 + Self.units(of: $1) }
    }

    private static func units(of transfer: TransferSnapshot) -> Int64 {
        guard !transfer.state.isEnded else { return unitsPerTransfer }
        // If the length is unknown, each byte moves the progress less than the one before.
        let bytes = Double(transfer.bytesDone)
        let fraction = transfer.fractionCompleted ?? bytes / (bytes + 67_108_864)
        return Int64(fraction * Double(unitsPerTransfer))
    }

    /// Returns the name of the first active transfer, after the numbers of ended and of all transfers if there are several. `nil` if no
    /// transfer is active.
    static func subtitle(of transfers: [TransferSnapshot]) -> String? {
        let active = transfers.first { transfer in
            switch transfer.state {
            case .running, .awaitingResponse: true
            case .waiting, .paused, .succeeded, .failed, .cancelled: false
            }
        }
        guard let active else { return nil }
        let ended = transfers.count { $0.state.isEnded }
        return transfers.count > 1 ? "\(ended)/\(transfers.count) \(active.name)" : active.name
    }
}
