import LonghaulCore
import Synchronization

/// The limits of an exchange: its rate, and the number of bytes that it may transfer before it must request more.
struct ExchangeLimits {
    private enum Allowance {
        case unlimited
        case left(Int64)
        /// The use was reported.
        case used(Int64)
    }

    /// The rate limit. libcurl's own limit works in bursts, counts bytes from before a change of the limit, and may then pause for a long
    /// time.
    var pace: Pace?
    /// Until when the pace pauses the exchange.
    private(set) var restsUntil: Int64?
    private var allowance: Allowance

    init(_ plan: ExchangePlan, at now: Int64) {
        pace = plan.rateLimit.map { Pace(rate: $0, at: now) }
        allowance = plan.allowance.map { .left($0) } ?? .unlimited
    }

    mutating func setRate(_ rate: Int64?, at now: Int64) { pace = rate.map { Pace(rate: $0, at: now) } }

    /// Pauses until a pace allows more, which may be shared by the exchanges of one file. Returns the end of the pause.
    mutating func rest(for pace: Pace?, from now: Int64) -> Int64 {
        let until = now + (pace?.wait ?? 0)
        restsUntil = until
        return until
    }

    mutating func endRest() { restsUntil = nil }

    /// The number of bytes that may be transferred; `nil` if unlimited.
    var bytes: Int64? {
        switch allowance {
        case .unlimited: nil
        case .left(let bytes), .used(let bytes): bytes
        }
    }

    mutating func setBytes(_ bytes: Int64?) { allowance = bytes.map { .left($0) } ?? .unlimited }

    var hasReportedUse: Bool { if case .used = allowance { true } else { false } }

    /// Marks the allowance as used. Returns whether to report that.
    mutating func use() -> Bool {
        guard case .left(let bytes) = allowance else { return false }
        allowance = .used(bytes)
        return true
    }
}

extension Exchange {
    func setRateLimit(_ limit: Int64?) {
        plan.rateLimit = limit
        limits.setRate(limit, at: thread.now)
        for exchange in segmentPool?.members ?? [self] { exchange.recordLimit() }
    }

    private func recordLimit() {
        guard wire.easy != nil else { return }
        // The rate limit applies only to bytes that pass through libcurl.
        if owner.limits.pace != nil { direct?.giveBack() }
        if limits.restsUntil != nil { endRest() }
    }

    func setAllowance(_ bytes: Int64?) {
        limits.setBytes(bytes)
        for exchange in segmentPool?.members ?? [self] { exchange.recordAllowance() }
    }

    private func recordAllowance() {
        // The count covers only libcurl's callbacks.
        if owner.limits.bytes != nil { direct?.giveBack() }
        // A transfer that is paused for another reason pauses itself again.
        proceed()
    }

    /// Whether libcurl must transfer the body, because the exchange is slowed or counted.
    var isLimited: Bool {
        let limits = owner.limits
        return limits.pace != nil || limits.bytes != nil || YieldingMember.isPaced(self)
    }

    /// Whether the allowance is used. Reports this once.
    var hasUsedAllowance: Bool {
        let owner = owner
        guard let bytes = owner.limits.bytes, moved >= bytes else { return false }
        if owner.limits.use() { thread.emit(owner.ticket, .allowanceUsed) }
        return true
    }

    /// The offset up to which the body may be sent.
    var sendingAllowance: Int64 {
        guard let bytes = limits.bytes, let body else { return .max }
        return body.position + max(0, bytes - moved)
    }

    private var moved: Int64 {
        progress.sent.load(ordering: .relaxed) + progress.received.load(ordering: .relaxed)
    }

    /// Pauses libcurl's reading or sending until the pace allows more.
    func rest() {
        let pace = owner.limits.pace
        let until = limits.rest(for: pace, from: thread.now)
        thread.watches.rest(self, until: until)
    }

    /// Ends the pause.
    func endRest() {
        limits.endRest()
        // A transfer that is paused for another reason pauses itself again.
        if direct?.isTaken != true { proceed() }
    }
}
