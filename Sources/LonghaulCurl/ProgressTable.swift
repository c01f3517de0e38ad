import LonghaulCore
import Synchronization

/// The progress of one exchange. Written by the network thread and read by any thread, without locks.
final class ProgressCell: Sendable {
    let sent = Atomic<Int64>(0)
    let received = Atomic<Int64>(0)
    /// The time of the last change of either, in monotonic nanoseconds; 0 before the first byte.
    let movedAt = Atomic<Int64>(0)
    /// The status of the response whose body is being received; 0 before that.
    private let status = Atomic<Int>(0)
    /// The announced length of that body; -1 if it is unknown.
    private let length = Atomic<Int64>(-1)
    /// A ``ConnectionReport`` in one word; 0 for none.
    private let connections = Atomic<Int>(0)

    var report: ConnectionReport? {
        get {
            let word = connections.load(ordering: .relaxed)
            guard word > 0, let reason = ConnectionReason(rawValue: word & 255) else { return nil }
            return ConnectionReport(count: word >> 8, reason: reason)
        }
        set { connections.store(newValue.map { $0.count << 8 | $0.reason.rawValue } ?? 0, ordering: .relaxed) }
    }

    var response: ExchangeProgress.AcceptedResponse? {
        get {
            let status = status.load(ordering: .acquiring)
            let length = length.load(ordering: .relaxed)
            guard status > 0 else { return nil }
            return ExchangeProgress.AcceptedResponse(status: status, length: length < 0 ? nil : length)
        }
        set {
            length.store(newValue?.length ?? -1, ordering: .relaxed)
            status.store(newValue?.status ?? 0, ordering: .releasing)
        }
    }

    func moved(sent: Int64, at now: Int64) {
        if self.sent.exchange(sent, ordering: .relaxed) != sent { movedAt.store(now, ordering: .relaxed) }
    }

    func moved(received: Int64, at now: Int64) {
        self.received.store(received, ordering: .relaxed)
        movedAt.store(now, ordering: .relaxed)
    }
}

/// The cells of all exchanges that have started and not ended.
final class ProgressTable: Sendable {
    private let cells = Mutex<[Ticket: ProgressCell]>([:])
    private let clock: EngineClock

    init(clock: EngineClock) {
        self.clock = clock
    }

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
        let movedAt = cell.movedAt.load(ordering: .relaxed)
        let quiet = movedAt == 0 ? 0 : max(clock.now - movedAt, 0)
        var progress = ExchangeProgress(
            sent: cell.sent.load(ordering: .relaxed), received: cell.received.load(ordering: .relaxed),
            quiet: Duration(microseconds: quiet / 1_000))
        progress.connections = cell.report
        progress.response = cell.response
        return progress
    }
}
