import LonghaulCore

/// A key, read from the bytes that a terminal sends for it.
enum TopKey: Equatable, Sendable {
    case character(Character)
    case up, down, pageUp, pageDown, home, end
    case enter, escape, backspace
    /// Ctrl and a letter.
    case control(Character)

    /// Returns whether the bytes end within a key's sequence.
    static func isUnfinished(_ bytes: [UInt8]) -> Bool {
        guard let start = bytes.lastIndex(of: 0x1B) else { return false }
        return length(ofSequence: bytes[start...]) == nil
    }

    /// Returns all keys in the input; skips sequences of unknown keys.
    static func keys(in bytes: [UInt8]) -> [TopKey] {
        var keys: [TopKey] = []
        var rest = bytes[...]
        while let first = rest.first {
            switch first {
            case 0x1B:
                // A sequence that does not end is the Escape key, and the characters after it.
                let count = length(ofSequence: rest) ?? 1
                if count == 1 { keys.append(.escape) }
                if let key = meaning(of: rest.prefix(count)) { keys.append(key) }
                rest = rest.dropFirst(count)
            case 0x0A, 0x0D:
                keys.append(.enter)
                rest = rest.dropFirst()
            case 0x08, 0x7F:
                keys.append(.backspace)
                rest = rest.dropFirst()
            case 0x01...0x1A:
                keys.append(.control(Character(UnicodeScalar(first + 0x60))))
                rest = rest.dropFirst()
            case ..<0x20: rest = rest.dropFirst()
            default:
                let text = rest.prefix { $0 >= 0x20 && $0 != 0x7F }
                keys += String(decoding: text, as: UTF8.self).map(TopKey.character)
                rest = rest[text.endIndex...]
            }
        }
        return keys
    }

    /// Returns the length of a sequence that starts with Escape; `nil` if its end is missing.
    private static func length(ofSequence bytes: ArraySlice<UInt8>) -> Int? {
        guard let second = bytes.dropFirst().first else { return nil }
        if second == UInt8(ascii: "O") { return bytes.count >= 3 ? 3 : nil }
        guard second == UInt8(ascii: "[") else { return 1 }
        // ECMA-48: parameters, then a final byte.
        guard let final = bytes.dropFirst(2).firstIndex(where: { $0 >= 0x40 }) else { return nil }
        return final - bytes.startIndex + 1
    }

    private static func meaning(of sequence: ArraySlice<UInt8>) -> TopKey? {
        switch String(decoding: sequence.dropFirst(2), as: UTF8.self) {
        case "A": .up
        case "B": .down
        case "H", "1~", "7~": .home
        case "F", "4~", "8~": .end
        case "5~": .pageUp
        case "6~": .pageDown
        default: nil
        }
    }
}
