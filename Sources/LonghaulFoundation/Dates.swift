public import Foundation
public import LonghaulCore

extension WallTime {
    /// Creates the time of a `Date`, with microseconds. Dates beyond the range are clamped.
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
    /// Creates the date of a `WallTime`, such as ``LonghaulCore/TransferSnapshot/endedAt``.
    public init(_ time: WallTime) {
        self.init(timeIntervalSince1970: Double(time.microseconds) / 1_000_000)
    }
}
