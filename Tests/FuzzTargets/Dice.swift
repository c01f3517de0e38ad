import LonghaulCore

/// Draws choices and numbers, from an input until it is used up, or from a seed.
struct Dice {
    private var bytes: ArraySlice<UInt8> = []
    private var state: UInt64

    /// After the bytes, only zeroes follow.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
        state = 0
    }

    init(seed: UInt64) {
        state = seed | 1
    }

    /// Whether everything was drawn; a seed is never used up.
    var isUsedUp: Bool { state == 0 && bytes.isEmpty }

    mutating func byte() -> UInt8 {
        if state == 0 { return bytes.popFirst() ?? 0 }
        // xorshift64.
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state >> 24)
    }

    mutating func below(_ count: Int) -> Int {
        let drawn = Int(byte()) | Int(byte()) << 8
        return drawn % max(count, 1)
    }

    mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }

    /// A small number, or one near an end of a range that something counts in.
    mutating func number() -> Int64 {
        let drawn = byte()
        return drawn < 128 ? Int64(drawn) - 32 : Self.ends[Int(drawn) % Self.ends.count]
    }

    /// The limits of numbers, of counts of bytes, seconds, and microseconds, and of the values of a file or a double.
    static let ends: [Int64] = [
        .min, .min + 1, .min + 999_998, -9_223_372_036_855, -9_223_372_036_854, -1, 0, 1, 200, 416, 1_000,
        Int64(Int32.max), Int64(Int32.max) + 1, Int64(UInt32.max), 1 << 53, 9_223_372_036_854, 9_223_372_036_855,
        1_795_323_275, 1_795_323_275_000_000, 1_795_323_275_000_000_000, .max / 2, .max / 2 + 1, .max - 999_999,
        .max - 1, .max,
    ]
}
