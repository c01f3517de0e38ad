import LonghaulCore

/// Changes inputs like damage that the parsers accept: keeps their structure, and sets numbers to the limits of their
/// ranges. Random bit flips hardly ever produce such an input.
enum NumberMutation {
    /// Replaces one number of a text.
    static func text(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8]? {
        let starts = bytes.indices.filter { isDigit(bytes[$0]) && ($0 == 0 || !isDigit(bytes[$0 - 1])) }
        guard !starts.isEmpty else { return nil }
        var start = dice.one(of: starts)
        let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.count
        if start > 0, bytes[start - 1] == UInt8(ascii: "-"), dice.below(2) == 0 { start -= 1 }
        return Array(bytes[..<start]) + String(Dice.ends[dice.below(Dice.ends.count)]).utf8 + bytes[end...]
    }

    /// Replaces one number of an encoded message, or omits or doubles one of its fields.
    static func message(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8]? {
        guard var fields = WireField.read(bytes), !fields.isEmpty else { return nil }
        change(&fields, &dice)
        return fields.flatMap(\.bytes)
    }

    private static func change(_ fields: inout [WireField], _ dice: inout Dice) {
        let index = dice.below(fields.count)
        switch fields[index].value {
        case .message(var inner) where !inner.isEmpty && dice.below(8) != 0:
            change(&inner, &dice)
            fields[index].value = .message(inner)
        case .varint where dice.below(8) != 0:
            let number = Dice.ends[dice.below(Dice.ends.count)]
            // Signed numbers are in zigzag form, others are not.
            let isPlain = dice.below(4) == 0
            fields[index].value = .varint(UInt64(bitPattern: isPlain ? number : (number << 1) ^ (number >> 63)))
        case .varint, .fixed, .text, .message:
            if dice.below(2) == 0 { fields.remove(at: index) } else { fields.append(fields[index]) }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// A field of any encoded message.
struct WireField {
    enum Value {
        case varint(UInt64)
        /// With its wire type.
        case fixed([UInt8], UInt8)
        case text([UInt8])
        /// Bytes that could be a message.
        case message([WireField])
    }

    var number: UInt64
    var value: Value

    var bytes: [UInt8] {
        switch value {
        case .varint(let number): Self.varint(self.number << 3) + Self.varint(number)
        case .fixed(let bytes, let type): Self.varint(number << 3 | UInt64(type)) + bytes
        case .text(let text): Self.varint(number << 3 | 2) + Self.varint(UInt64(text.count)) + text
        case .message(let fields): WireField(number: number, value: .text(fields.flatMap(\.bytes))).bytes
        }
    }

    /// Returns the fields of a message; `nil` if it is not one.
    static func read(_ bytes: [UInt8], depth: Int = 0) -> [WireField]? {
        var rest = bytes[...]
        var fields: [WireField] = []
        while !rest.isEmpty {
            guard let tag = takeVarint(&rest), tag >> 3 != 0, let value = takeValue(&rest, tag & 7, depth) else {
                return nil
            }
            fields.append(WireField(number: tag >> 3, value: value))
        }
        return fields
    }

    private static func takeValue(_ rest: inout ArraySlice<UInt8>, _ type: UInt64, _ depth: Int) -> Value? {
        switch type {
        case 0: return takeVarint(&rest).map(Value.varint)
        case 1, 5:
            let count = type == 1 ? 8 : 4
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return .fixed(Array(rest.prefix(count)), UInt8(type))
        case 2:
            guard let length = takeVarint(&rest), length <= UInt64(rest.count) else { return nil }
            let text = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
            if depth < 16, !text.isEmpty, let fields = read(text, depth: depth + 1) { return .message(fields) }
            return .text(text)
        default: return nil
        }
    }

    private static func takeVarint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }

    private static func varint(_ number: UInt64) -> [UInt8] {
        var rest = number
        var bytes: [UInt8] = []
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(truncatingIfNeeded: rest)]
    }
}
