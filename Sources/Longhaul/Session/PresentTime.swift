import LonghaulSystem

extension WallTime {
    /// The present moment by the machine's clock.
    ///
    /// ```swift
    /// options.earliestBeginDate = .now + .seconds(3_600)
    /// ```
    public static var now: WallTime { SystemClock.wallTime() }
}
