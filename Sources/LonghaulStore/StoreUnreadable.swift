package import LonghaulCore

/// A transfer's row without decoding its blobs, which would crash the process.
package struct UnreadableTransfer: Equatable, Sendable {
    package var id: TransferID
    package var sequence: Int64
    package var key: String?
    package var group: String
    /// The state from its number, without further values; `nil` for a failed transfer, and for an unknown number.
    package var state: TransferState?
    /// The raw blobs: state, facts, and spec.
    package var blobs: [[UInt8]]
}

extension Store {
    /// Returns `nil` if there is no such transfer.
    package func unreadable(_ id: TransferID) throws(TransferFailure) -> UnreadableTransfer? {
        let rows = try connection.statement(
            """
            select t.sequence, t.key, t."group", t.stateCode, t.state, t.facts, s.spec
            from transfer t left join spec s on s.sequence = t.sequence where t.id = ?1
            """)
        defer { rows.reset() }
        try rows.bind(id, at: 1)
        guard try rows.step() else { return nil }
        return UnreadableTransfer(
            id: id, sequence: rows.number(0), key: rows.isNull(1) ? nil : rows.text(1), group: rows.text(2),
            state: StateCode(number: rows.number(3)).plainState, blobs: (4...6).map { rows.bytes($0) })
    }

    /// Returns whether there is such a transfer, without decoding its record.
    package func has(_ id: TransferID) throws(TransferFailure) -> Bool { try sequence(of: id) != nil }
}

extension StateCode {
    fileprivate var plainState: TransferState? {
        switch queueKind {
        case .waiting(let reason): .waiting(Waiting(reason, since: WallTime(microseconds: 0)))
        case .running(let phase): .running(phase)
        case .awaitingResponse: .awaitingResponse
        case .paused: .paused
        case nil: number == 400 ? .succeeded : number == 600 ? .cancelled : nil
        }
    }
}
