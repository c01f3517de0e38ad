import LonghaulCore

/// Says once in a command, when the first attempt has failed in a way that may pass, that Longhaul
/// retries the transfer and how to end that. Users of other programs expect the failure.
struct RetryNotice {
    private var isTold = false

    mutating func sentence(about transfer: TransferSnapshot, in session: SessionID, endsWithCommand: Bool) -> String? {
        guard !isTold, case .waiting(let waiting) = transfer.state, waiting.failure != nil,
            let plan = Self.plan(waiting, transfer)
        else { return nil }
        isTold = true
        let leaving =
            endsWithCommand
            ? "Ctrl-C ends it"
            : "Ctrl-C leaves that to the service, \(session.hint("cancel", transfer.id)) ends it"
        return "\(DisplayText.clean(transfer.name)) \(plan); \(leaving)"
    }

    private static func plan(_ waiting: Waiting, _ transfer: TransferSnapshot) -> String? {
        switch waiting.reason {
        case .retry, .serverBusy:
            let times = transfer.retriesAllowed.map { $0 == 1 ? ", once" : ", up to \($0) times in a row (--retry)" }
            return "is tried again by itself" + (times ?? "")
        case .network: return "waits for the network and continues by itself, without using a retry"
        case .turn, .notBefore, .diskSpace, .clock, .credentials, .metered, .constrained, .roaming, .power, .battery,
            .hours,
            .budget, .sleep, .predecessor, .link, .idle, .mount:
            return nil
        }
    }
}
