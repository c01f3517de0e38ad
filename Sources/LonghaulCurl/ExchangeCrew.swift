import LonghaulCore
import LonghaulFiles

// One of several exchanges that fetch ranges of one file.
extension Exchange {
    /// Whether it is no transfer of its own.
    var isHelper: Bool { ticket.isOfHelper }

    /// The exchange of the transfer that this one works for.
    var owner: Exchange { crew?.first ?? self }

    /// Whose connections it may use.
    var connections: MultiHandle {
        if plan.connection == .undivided, let crew { return crew.connections }
        return thread.multis.behind(plan.connecting.proxy(for: url.scheme))
    }

    /// Whether its end is not the transfer's.
    var isPartOfCrew: Bool { isHelper || crew?.machine.isOpen == true }

    var isAtWork: Bool { machine.phase.isAtWork }

    /// Ends if another connection has begun to fetch what would be next.
    func endIfCut() {
        if let file, file.isCut, file.missing == 0 { conclude(stop: .enough) }
    }

    /// Fetches up to this byte although it was told to stop before it.
    func goOn(to end: Int64) {
        guard let file, let missing = file.missing, end > file.position + missing else { return }
        file.stop(at: end)
    }
}
