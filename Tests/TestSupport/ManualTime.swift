package import LonghaulCore

/// A wall clock that only the test moves.
package final class ManualTime: Sendable {
    private let state: Monitor<WallTime>

    /// Begins at a date that is easy to recognise: 2026-01-01 00:00 UTC.
    package init(_ start: WallTime = WallTime(seconds: 1_767_225_600)) {
        state = Monitor(start)
    }

    package var now: WallTime { state.value }

    package func advance(by span: Duration) {
        state.update { $0 = $0 + span }
    }

    /// Sets the clock, as a person or a time server does; backwards as well.
    package func set(to instant: WallTime) {
        state.update { $0 = instant }
    }
}
