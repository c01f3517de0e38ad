import CCurl
import LonghaulCore
import Synchronization

// How many bytes an exchange may move before it has to ask.
extension Exchange {
    func setAllowance(_ bytes: Int64?) {
        allowance = bytes
        hasReportedAllowance = false
        for exchange in crew?.members ?? [self] { exchange.noteAllowance() }
    }

    private func noteAllowance() {
        guard case .transferring(let easy) = stage else { return }
        // libcurl's callbacks count.
        if owner.allowance != nil { giveBack() }
        // What is held for another reason holds itself again.
        goOn(easy)
    }

    /// Whether libcurl has to move the body, since it is slowed down or counted.
    var isLimited: Bool { owner.pace != nil || owner.allowance != nil || YieldingMember.isPaced(self) }

    /// Whether it has moved all it may; says so once.
    var hasUsedAllowance: Bool {
        let owner = owner
        guard let allowance = owner.allowance, moved >= allowance else { return false }
        if !owner.hasReportedAllowance {
            owner.hasReportedAllowance = true
            thread.emit(owner.ticket, .allowanceUsed)
        }
        return true
    }

    /// Up to which byte the body may be sent.
    var sendingAllowance: Int64 {
        guard let allowance, let body else { return .max }
        return body.position + max(0, allowance - moved)
    }

    private var moved: Int64 {
        progress.sent.load(ordering: .relaxed) + progress.received.load(ordering: .relaxed)
    }
}
