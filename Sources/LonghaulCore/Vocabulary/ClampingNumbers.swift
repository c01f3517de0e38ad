// Conversions that cannot trap, like the arithmetic of `SaturatingNumbers.swift`: a number that the target type cannot hold becomes the
// nearest number that it can.

extension Int64 {
    @inlinable package init(_ number: UInt64) { self.init(clamping: number) }
    @inlinable package init(_ number: UInt) { self.init(clamping: number) }
}

extension Int {
    @inlinable package init(_ number: UInt64) { self.init(clamping: number) }
    @inlinable package init(_ number: UInt) { self.init(clamping: number) }
}

extension UInt64 {
    @inlinable package init(_ number: Int64) { self.init(clamping: number) }
    @inlinable package init(_ number: Int) { self.init(clamping: number) }
}

extension Int32 {
    @inlinable package init(_ number: Int64) { self.init(clamping: number) }
    @inlinable package init(_ number: Int) { self.init(clamping: number) }
}

extension Int64 {
    /// Truncates the fraction; NaN becomes 0.
    @inlinable package init(_ number: Double) {
        // 2^63 is the first double beyond the range, and -2^63 the last within it.
        if number >= 0x1p63 {
            self = .max
        } else if number <= -0x1p63 {
            self = .min
        } else {
            self = Int64(exactly: number.rounded(.towardZero)) ?? 0
        }
    }
}

extension Int {
    /// Truncates the fraction; NaN becomes 0.
    @inlinable package init(_ number: Double) { self.init(Int64(number)) }
}
