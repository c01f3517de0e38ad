import LonghaulCore

/// External text (names, URLs, messages) made safe for a terminal.
enum DisplayText {
    /// Returns the text after replacing all characters that could move the cursor or change the writing direction.
    static func clean(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        var cleaned = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { cleaned.append(isHarmful(scalar) ? "\u{FFFD}" : scalar) }
        return String(cleaned)
    }

    /// Returns the number of columns of the text.
    static func width(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + width($1) }
    }

    /// Returns the text in exactly `columns` columns: truncated with `…`, or padded with spaces.
    static func fit(_ text: String, _ columns: Int) -> String {
        let cut = cut(text, columns)
        return cut + String(repeating: " ", count: max(0, columns - width(cut)))
    }

    /// Returns the text in at most `columns` columns; `…` marks a truncated end.
    static func cut(_ text: String, _ columns: Int) -> String {
        guard width(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var kept = ""
        var used = 0
        for character in text {
            let next = width(character)
            if used + next > columns - 1 { break }
            kept.append(character)
            used += next
        }
        return kept + "…"
    }

    /// Returns the words of a paragraph in lines of at most `columns` columns. A longer word gets a separate line, or
    /// several with `breaksWords`.
    static func wrapped(_ paragraph: String, _ columns: Int, breaksWords: Bool = false) -> [String] {
        var lines: [String] = []
        var used = columns
        for word in paragraph.split(separator: " ") {
            let width = width(String(word))
            if used + 1 + width <= columns {
                lines[lines.count - 1] += " " + word
                used += 1 + width
            } else {
                lines += breaksWords ? pieces(of: word, columns) : [String(word)]
                used = Self.width(lines.last ?? "")
            }
        }
        return lines
    }

    private static func pieces(of word: Substring, _ columns: Int) -> [String] {
        guard width(String(word)) > columns else { return [String(word)] }
        var pieces = [""]
        var used = 0
        for character in word {
            let next = width(character)
            if used + next > columns, used > 0 {
                pieces.append("")
                used = 0
            }
            pieces[pieces.count - 1].append(character)
            used += next
        }
        return pieces
    }

    static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0x061C, 0xFEFF: true
        default: false
        }
    }

    private static func width(_ character: Character) -> Int {
        var widest = 0
        for scalar in character.unicodeScalars {
            // The emoji variation selector makes even a narrow character wide.
            if scalar.value == 0xFE0F { return 2 }
            widest = max(widest, width(scalar))
        }
        return widest
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        if wideRanges.contains(where: { $0.contains(scalar.value) }) { return 2 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return 1
        }
    }

    /// Wide and full-width characters of UAX 11, and the emoji planes.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x25FD...0x25FE, 0x2614...0x2615,
        0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F1E6...0x1F1FF, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF,
        0x20000...0x3FFFD,
    ]
}
