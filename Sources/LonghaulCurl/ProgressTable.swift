import LonghaulCore
import Synchronization

/// How far one exchange is. Written by the network thread, read by anyone; neither waits.
final class ProgressCell: Sendable {
    let sent = Atomic<Int64>(0)
    let received = Atomic<Int64>(0)
}

/// The cells of all exchanges that have begun and not ended.
final class ProgressTable: Sendable {
    private let cells = Mutex<[Ticket: ProgressCell]>([:])

    func add(_ ticket: Ticket) {
        let cell = ProgressCell()
        cells.withLock { $0[ticket] = cell }
    }

    func cell(of ticket: Ticket) -> ProgressCell? {
        cells.withLock { $0[ticket] }
    }

    func remove(_ ticket: Ticket) {
        cells.withLock { $0[ticket] = nil }
    }

    subscript(ticket: Ticket) -> ExchangeProgress? {
        guard let cell = cell(of: ticket) else { return nil }
        return ExchangeProgress(
            sent: cell.sent.load(ordering: .relaxed), received: cell.received.load(ordering: .relaxed))
    }
}
