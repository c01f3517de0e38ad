import LonghaulCore
import Synchronization

/// What slows an exchange down: a rate, and how many bytes it may move before it has to ask.
struct ExchangeLimits {
    private enum Allowance {
        case unlimited
        case left(Int64)
        /// That was reported.
        case used(Int64)
    }

    /// The limit of rate. libcurl's own comes in bursts, counts what was moved before a change of it, and may then rest for long.
    var pace: Pace?
    /// Until when the pace rests.
    private(set) var restsUntil: Int64?
    private var allowance: Allowance

    init(_ plan: ExchangePlan, at now: Int64) {
        pace = plan.rateLimit.map { Pace(rate: $0, at: now) }
        allowance = plan.allowance.map { .left($0) } ?? .unlimited
    }

    mutating func setRate(_ rate: Int64?, at now: Int64) { pace = rate.map { Pace(rate: $0, at: now) } }

    /// Rests until a pace, its own or that of all who fetch one file together, allows more: until when.
    mutating func rest(for pace: Pace?, from now: Int64) -> Int64 {
        let until = now + (pace?.wait ?? 0)
        restsUntil = until
        return until
    }

    mutating func endRest() { restsUntil = nil }

    /// How many bytes may be moved; `nil` for any number.
    var bytes: Int64? {
        switch allowance {
        case .unlimited: nil
        case .left(let bytes), .used(let bytes): bytes
        }
    }

    mutating func setBytes(_ bytes: Int64?) { allowance = bytes.map { .left($0) } ?? .unlimited }

    var hasReportedUse: Bool { if case .used = allowance { true } else { false } }

    /// All of them were moved. Whether that is to be reported.
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
        for exchange in crew?.members ?? [self] { exchange.noteLimit() }
    }

    private func noteLimit() {
        guard wire.easy != nil else { return }
        // Only what passes through libcurl is slowed.
        if owner.limits.pace != nil { direct?.giveBack() }
        if limits.restsUntil != nil { endRest() }
    }

    func setAllowance(_ bytes: Int64?) {
        limits.setBytes(bytes)
        for exchange in crew?.members ?? [self] { exchange.noteAllowance() }
    }

    private func noteAllowance() {
        // libcurl's callbacks count.
        if owner.limits.bytes != nil { direct?.giveBack() }
        // What is held for another reason holds itself again.
        goOn()
    }

    /// Whether libcurl has to move the body, since it is slowed down or counted.
    var isLimited: Bool {
        let limits = owner.limits
        return limits.pace != nil || limits.bytes != nil || YieldingMember.isPaced(self)
    }

    /// Whether it has moved all it may; says so once.
    var hasUsedAllowance: Bool {
        let owner = owner
        guard let bytes = owner.limits.bytes, moved >= bytes else { return false }
        if owner.limits.use() { thread.emit(owner.ticket, .allowanceUsed) }
        return true
    }

    /// Up to which byte the body may be sent.
    var sendingAllowance: Int64 {
        guard let bytes = limits.bytes, let body else { return .max }
        return body.position + max(0, bytes - moved)
    }

    private var moved: Int64 {
        progress.sent.load(ordering: .relaxed) + progress.received.load(ordering: .relaxed)
    }

    /// libcurl keeps what it has read, or waits for what it is to send, until the pace allows more.
    func rest() {
        let pace = owner.limits.pace
        let until = limits.rest(for: pace, from: thread.now)
        thread.watches.rest(self, until: until)
    }

    /// The time has come.
    func endRest() {
        limits.endRest()
        // What is held for another reason holds itself again.
        if direct?.isTaken != true { goOn() }
    }
}
