// Arithmetic that cannot trap: a number from a store, a socket, a server, a helper, or a command line may be any 64-bit number.
//
// In every file of this package that imports `LonghaulCore`, these operators replace those of the standard library: a result that does
// not fit becomes the nearest number that does. `scripts/check` finds files that calculate without that import, and
// `docs/decisions/saturating-numbers.md` explains why the operators have their usual names.

extension Int64 {
    @inlinable package static func + (left: Int64, right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? (right < 0 ? .min : .max) : sum
    }

    @inlinable package static func - (left: Int64, right: Int64) -> Int64 {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow ? (right < 0 ? .max : .min) : difference
    }

    @inlinable package static func * (left: Int64, right: Int64) -> Int64 {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? ((left < 0) == (right < 0) ? .max : .min) : product
    }

    @inlinable package static func += (left: inout Int64, right: Int64) { left = left + right }
    @inlinable package static func -= (left: inout Int64, right: Int64) { left = left - right }
    @inlinable package static func *= (left: inout Int64, right: Int64) { left = left * right }

    /// The smallest number has no positive counterpart: it becomes the largest.
    @inlinable package static prefix func - (number: Int64) -> Int64 { 0 - number }
}

extension Int {
    @inlinable package static func + (left: Int, right: Int) -> Int {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? (right < 0 ? .min : .max) : sum
    }

    @inlinable package static func - (left: Int, right: Int) -> Int {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow ? (right < 0 ? .max : .min) : difference
    }

    @inlinable package static func * (left: Int, right: Int) -> Int {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? ((left < 0) == (right < 0) ? .max : .min) : product
    }

    @inlinable package static func += (left: inout Int, right: Int) { left = left + right }
    @inlinable package static func -= (left: inout Int, right: Int) { left = left - right }
    @inlinable package static func *= (left: inout Int, right: Int) { left = left * right }

    /// The smallest number has no positive counterpart: it becomes the largest.
    @inlinable package static prefix func - (number: Int) -> Int { 0 - number }
}

extension UInt64 {
    @inlinable package static func + (left: UInt64, right: UInt64) -> UInt64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }

    @inlinable package static func - (left: UInt64, right: UInt64) -> UInt64 {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow ? .min : difference
    }

    @inlinable package static func * (left: UInt64, right: UInt64) -> UInt64 {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? .max : product
    }

    @inlinable package static func += (left: inout UInt64, right: UInt64) { left = left + right }
    @inlinable package static func -= (left: inout UInt64, right: UInt64) { left = left - right }
    @inlinable package static func *= (left: inout UInt64, right: UInt64) { left = left * right }
}

extension Int64 {
    /// Returns the quotient, rounded down instead of towards zero; the divisor is positive.
    package func dividedDown(by divisor: Int64) -> Int64 {
        self % divisor < 0 ? self / divisor - 1 : self / divisor
    }
}

extension [Int64] {
    /// The mean; `nil` if the array is empty.
    package var mean: Int64? { isEmpty ? nil : reduce(0) { $0 + $1 } / Int64(count) }
}
