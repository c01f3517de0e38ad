import LonghaulCore
import LonghaulFiles

// One of several exchanges that download ranges of one file.
extension Exchange {
    /// Whether the exchange is only an additional connection for a transfer.
    var isHelper: Bool { ticket.isOfHelper }

    /// The exchange of the transfer that this exchange belongs to.
    var owner: Exchange { segmentPool?.first ?? self }

    /// The multi handle whose connections it may use.
    var connections: MultiHandle {
        if plan.connection == .undivided, let segmentPool { return segmentPool.connections }
        return thread.multis.handle(for: identity.ofConnection(to: url, plan.connecting))
    }

    /// Whether its end is not the end of the transfer.
    var isPartOfPool: Bool { isHelper || segmentPool?.machine.isOpen == true }

    var isAtWork: Bool { machine.phase.isAtWork }

    /// Ends the exchange if another connection has started at the next byte.
    func endIfCut() {
        if let file, file.isCut, file.missing == 0 { conclude(stop: .enough) }
    }

    /// Extends the range up to this byte.
    func extend(to end: Int64) {
        guard let file, let missing = file.missing, end > file.position + missing else { return }
        file.stop(at: end)
    }
}
