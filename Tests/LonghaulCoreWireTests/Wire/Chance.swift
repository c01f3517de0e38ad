import LonghaulCore

/// Draws values for the wire tests: the smallest there are, all-present ones, or any, always the same for a seed.
struct Chance {
    enum Kind: CaseIterable {
        case minimal
        case full
        case any
    }

    let kind: Kind
    private var state: UInt64

    init(_ kind: Kind, seed: UInt64) {
        self.kind = kind
        state = seed
    }

    /// SplitMix64.
    mutating func bits() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ count: Int) -> Int {
        Int(bits() % UInt64(count))
    }

    mutating func flag() -> Bool {
        switch kind {
        case .minimal: false
        case .full: true
        case .any: bits() & 1 == 1
        }
    }

    /// Small, large and extreme numbers of either sign.
    mutating func number() -> Int64 {
        switch kind {
        case .minimal: return 0
        case .full: return .max - Int64(below(9))
        case .any:
            let number = Int64(bitPattern: bits()) >> Int64(below(64))
            return below(8) == 0 ? .min : number
        }
    }

    mutating func integer() -> Int { Int(number()) }

    /// As `number`, but never below zero.
    mutating func length() -> Int64 { number() & .max }

    mutating func count() -> Int { Int(length()) }

    mutating func time() -> WallTime { WallTime(microseconds: number()) }

    mutating func span() -> Duration { Duration(microseconds: number()) }

    mutating func text() -> String {
        let words = ["", "a", "photos/été.jpg", "线路", "\u{1F6F0}\u{FE0F}", "line\nline\0", "https://example.org/?q=1"]
        return kind == .minimal ? "" : words[kind == .full ? 2 + below(5) : below(7)]
    }

    mutating func bytes() -> [UInt8] {
        guard kind != .minimal else { return [] }
        let count = [1, 20, 127, 128, 300][below(5)]
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: bits()) }
    }

    mutating func optional<Value>(_ make: (inout Chance) -> Value) -> Value? {
        flag() ? make(&self) : nil
    }

    mutating func list<Value>(_ make: (inout Chance) -> Value) -> [Value] {
        switch kind {
        case .minimal: []
        case .full: [make(&self), make(&self)]
        case .any: (0..<below(4)).map { _ in make(&self) }
        }
    }

    mutating func one<Value>(of values: [Value]) -> Value {
        values[below(values.count)]
    }

    mutating func choice<Value: WireNumbered>() -> Value {
        var values: [Value] = []
        while let value = Value(wireNumber: values.count) { values.append(value) }
        return kind == .minimal ? values[0] : one(of: values)
    }
}

/// A wire message the tests can draw.
protocol Drawable: WireMessage, Equatable {
    static func draw(_ chance: inout Chance) -> Self
}
