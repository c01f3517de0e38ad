package import LonghaulCore

/// A wall clock that only the test moves.
package final class ManualTime: Sendable {
    private let state: Monitor<WallTime>

    /// Starts at a time that is easy to recognize: 2026-01-01 00:00 UTC.
    package init(_ start: WallTime = WallTime(seconds: 1_767_225_600)) {
        state = Monitor(start)
    }

    package var now: WallTime { state.value }

    package func advance(by span: Duration) {
        state.update { $0 = $0 + span }
    }

    /// Sets the clock, forward or backward, as the user or a time server does.
    package func set(to instant: WallTime) {
        state.update { $0 = instant }
    }
}
