import LonghaulCore

/// Says once in a command, when the first attempt has failed in a way that may pass, that it is tried again by itself, and how to end that:
/// whoever knows other programs expects the failure.
struct RetryNotice {
    /// How often it may fail in a row; `nil` where another command has said it.
    var limit: Int?
    private var isTold = false

    mutating func sentence(about transfer: TransferSnapshot, in session: SessionID, endsWithCommand: Bool) -> String? {
        guard !isTold, case .waiting(let waiting) = transfer.state, waiting.failure != nil,
            [.retry, .serverBusy].contains(waiting.reason)
        else { return nil }
        isTold = true
        let times = limit.map { $0 == 1 ? ", once" : ", up to \($0) times in a row (--retry)" } ?? ""
        let leaving =
            endsWithCommand
            ? "Ctrl-C ends it"
            : "Ctrl-C leaves that to the service, \(session.hint("cancel", transfer.id)) ends it"
        return "\(DisplayText.clean(transfer.name)) is tried again by itself\(times); \(leaving)"
    }
}
