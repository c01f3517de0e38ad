public import Foundation
public import LonghaulCore

extension WallTime {
    /// The same moment as a `Date`, to the microsecond; the far ends of the calendar saturate.
    ///
    /// ```swift
    /// var options = TransferOptions()
    /// options.earliestBeginDate = WallTime(Date(timeIntervalSinceNow: 3_600))
    /// ```
    public init(_ date: Date) {
        self.init(microseconds: Int64((date.timeIntervalSince1970 * 1_000_000).rounded()))
    }
}

extension Date {
    /// The same moment as a `WallTime`, such as `TransferSnapshot.endedAt`.
    public init(_ time: WallTime) {
        self.init(timeIntervalSince1970: Double(time.microseconds) / 1_000_000)
    }
}
