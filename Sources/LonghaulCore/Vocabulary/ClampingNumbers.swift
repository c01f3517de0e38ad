// Conversions that cannot end the process, like the arithmetic of `SaturatingNumbers.swift`: a number beyond what the other
// type holds becomes the nearest number that the type does hold.

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
    /// Cuts off what follows the point; not a number becomes 0.
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
    /// Cuts off what follows the point; not a number becomes 0.
    @inlinable package init(_ number: Double) { self.init(Int64(number)) }
}
