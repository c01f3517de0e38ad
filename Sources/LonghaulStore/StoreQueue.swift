package import LonghaulCore

/// The facts about an unended transfer that the scheduler needs.
package struct QueueEntry: Equatable, Sendable {
    /// The state of the transfer, as in `TransferState`.
    package enum Kind: Equatable, Sendable {
        case waiting(Waiting.Reason)
        case running(TransferState.Phase)
        case awaitingResponse
        case paused
    }

    package var id: TransferID
    package var sequence: Int64
    package var priority: Int
    package var host: String
    package var group: String
    package var kind: Kind
    /// The next automatic attempt of a waiting transfer.
    package var until: WallTime?
    /// The end of the hold of its host: the server's own time (`Waiting.retryAfter`).
    package var retryAfter: WallTime?
    /// The end of `timeoutIntervalForResource`.
    package var deadline: WallTime
    package var standing: TurnStanding

    package init(
        id: TransferID, sequence: Int64, priority: Int, host: String, group: String, kind: Kind, until: WallTime?,
        retryAfter: WallTime? = nil, deadline: WallTime, standing: TurnStanding = .usual
    ) {
        self.id = id
        self.sequence = sequence
        self.priority = priority
        self.host = host
        self.group = group
        self.kind = kind
        self.until = until
        self.retryAfter = retryAfter
        self.deadline = deadline
        self.standing = standing
    }
}

extension Store {
    /// Far beyond the valid priorities.
    private static let priorities = Int64(Int32.min)...Int64(Int32.max)

    /// Passes every unended transfer to `body`, in order of submission. Decodes states only of transfers that hold their host.
    /// `body` must not write.
    package func queueEntries(
        _ body: (QueueEntry) throws(TransferFailure) -> Void
    ) throws(TransferFailure) {
        let rows = try connection.statement(
            """
            select sequence, id, priority, host, "group", stateCode, until, deadline, standing,
            case stateCode when \(Waiting.Reason.serverBusy.wireNumber) then state end from transfer where isEnded = 0 order by sequence
            """)
        defer { rows.reset() }
        while try rows.step() {
            guard let kind = StateCode(number: rows.number(5)).queueKind else {
                throw storeDamage("a transfer is in no known state")
            }
            guard Self.priorities.contains(rows.number(2)), let standing = TurnStanding(rawValue: Int(rows.number(8)))
            else { throw storeDamage("a transfer has no place that the queue has") }
            try body(
                QueueEntry(
                    id: try rows.id(1), sequence: rows.number(0), priority: Int(rows.number(2)), host: rows.text(3),
                    group: rows.text(4), kind: kind,
                    until: rows.isNull(6) ? nil : WallTime(microseconds: rows.number(6)),
                    retryAfter: rows.retryAfter(9), deadline: WallTime(microseconds: rows.number(7)), standing: standing
                ))
        }
    }

    /// Passes the specs of the latest unended transfers submitted after `sequence` to `body`, the latest first. `body` must not
    /// write.
    package func latestSpecs(
        after sequence: Int64, limit: Int, _ body: (_ sequence: Int64, TransferID, TransferSpec) -> Void
    ) throws(TransferFailure) {
        let rows = try connection.statement(
            """
            select t.sequence, t.id, s.spec from transfer t join spec s on s.sequence = t.sequence
            where t.isEnded = 0 and t.sequence > ?1 order by t.sequence desc limit ?2
            """)
        defer { rows.reset() }
        try rows.bind(sequence, at: 1)
        try rows.bind(Int64(limit), at: 2)
        while try rows.step() { body(rows.number(0), try rows.id(1), try rows.message(2)) }
    }
}

extension Statement {
    /// Returns the server's time of a state, if the column has one.
    fileprivate func retryAfter(_ column: Int32) -> WallTime? {
        // An unreadable state holds no other transfer. The transfer itself fails when it is read.
        guard !isNull(column), case .waiting(let waiting)? = try? message(column) as TransferState else { return nil }
        return waiting.retryAfter
    }
}
