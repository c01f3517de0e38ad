import LonghaulCore

/// Detects that the wall clock was set, by its distance from the time since the boot.
struct ClockSteps {
    /// A smaller step changes no wait noticeably. NTP also slews a clock, by a second in half an hour.
    static let tolerance = Duration.seconds(1)
    /// The year 2026: an earlier clock was never set, as on a machine without a battery for it.
    private static let epoch = WallTime(seconds: 1_767_225_600)
    /// Two clocks that were read farther apart cannot be compared.
    private static let spread = Duration.milliseconds(100)

    private var distance: Duration?
    /// The steps that no committed turn has applied to the records; `nil` if there were none.
    private(set) var pending: Duration?

    /// Compares the clocks. Returns the step since the last call; zero if there was none.
    mutating func look(_ environment: RuntimeEnvironment) -> Duration {
        guard let sinceBoot = environment.sinceBoot else { return .zero }
        let before = sinceBoot()
        let wall = environment.now() - WallTime(microseconds: 0)
        guard sinceBoot() - before < Self.spread else { return .zero }
        let current = wall - before
        let step = current - (distance ?? current)
        distance = current
        guard step > Self.tolerance || step < .zero - Self.tolerance else { return .zero }
        pending = (pending ?? .zero) + step
        return step
    }

    mutating func didApply() { pending = nil }

    /// Detects a step while the session was closed. Its size is unknown: dates in the future are bounded by their lengths, and those
    /// of a clock that was never set are moved to the present.
    mutating func open(after former: SessionOwner?, at now: WallTime) {
        // A loop that replaces another one has its clock.
        guard distance == nil, let last = former.map({ $0.endedAt ?? $0.openedAt }) else { return }
        if now + Self.tolerance < last { pending = .zero }
        if last < Self.epoch, now >= Self.epoch { pending = now - last }
    }
}
