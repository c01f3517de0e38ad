import LonghaulCore

/// Wraps lines for people: at words, with a hanging indent, and never inside a command, so that it can be copied.
enum Prose {
    private struct Word {
        /// The spaces before it.
        var gap: Int
        var text: Substring
    }

    /// Returns the lines of a text in at most `columns` columns.
    ///
    /// - Parameter indent: The columns before continuation lines, in addition to the indent of their first line.
    static func wrapped(_ text: String, columns: Int, indent: Int = 2) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph -> [String] in
            DisplayText.width(String(paragraph)) <= columns
                ? [String(paragraph)] : lines(of: paragraph, columns, indent)
        }
    }

    private static func lines(of paragraph: Substring, _ columns: Int, _ indent: Int) -> [String] {
        let words = words(of: paragraph)
        // A narrow terminal has no space for an indent.
        let margin = min((words.first?.gap ?? 0) + indent, columns / 3)
        var lines: [String] = []
        var line = ""
        var index = 0
        while index < words.count {
            var end = index + max(1, CommandSpan.length(words[index...].map(\.text)))
            if width(words[index..<end]) > columns - margin { end = index + 1 }
            let group = words[index..<end]
            let gap = words[index].gap
            if index == 0 || DisplayText.width(line) + gap + width(group) <= columns {
                line += String(repeating: " ", count: gap) + text(group)
            } else {
                lines.append(line)
                line = String(repeating: " ", count: margin) + text(group)
            }
            index = end
        }
        return lines + [line]
    }

    private static func words(of paragraph: Substring) -> [Word] {
        var words: [Word] = []
        var rest = paragraph
        while !rest.isEmpty {
            let gap = rest.prefix { $0 == " " }
            rest = rest.dropFirst(gap.count)
            let text = rest.prefix { $0 != " " }
            rest = rest.dropFirst(text.count)
            if !text.isEmpty { words.append(Word(gap: gap.count, text: text)) }
        }
        return words
    }

    private static func text(_ words: ArraySlice<Word>) -> String {
        words.dropFirst().reduce(words.first.map { String($0.text) } ?? "") { text, word in
            text + String(repeating: " ", count: word.gap) + word.text
        }
    }

    private static func width(_ words: ArraySlice<Word>) -> Int { DisplayText.width(text(words)) }
}

/// Recognizes a command in a sentence, such as in `To retry, run longhaul retry 5da2533a -u USER.`
enum CommandSpan {
    /// Programs of the system that messages name. Their commands are at the end of a clause.
    private static let programs = [
        "apt", "chmod", "kill", "loginctl", "resolvectl", "rm", "sudo", "systemctl", "timedatectl", "@reboot",
    ]

    /// Returns how many words, from the first one on, are a command; 0 if they are none.
    static func length(_ words: [Substring]) -> Int {
        guard let first = words.first, !endsClause(first) else { return 0 }
        let name = first.drop { "(\"`".contains($0) }
        if name != "longhaul" {
            guard programs.contains(String(name)) else { return 0 }
            return (words.firstIndex(where: endsClause) ?? words.count - 1) + 1
        }
        guard words.count > 1 else { return 1 }
        let command = Command.named(String(bare(words[1])))
        guard command != nil || isOperand(words[1], nil) else { return 1 }
        var index = 1
        while !endsClause(words[index]), index + 1 < words.count {
            let next = words[index + 1]
            let leadsOn = index + 2 < words.count && !endsClause(next) && begins(words[index + 2])
            guard takesValue(words[index], command) || isOperand(next, command) || leadsOn else { break }
            index += 1
        }
        return index + 1
    }

    private static func endsClause(_ word: Substring) -> Bool { word.last.map { ".,;:)\"`".contains($0) } ?? false }

    private static func bare(_ word: Substring) -> Substring {
        var word = word
        while endsClause(word) { word.removeLast() }
        return word
    }

    private static func takesValue(_ word: Substring, _ command: Command?) -> Bool {
        command?.options.contains {
            $0.value != nil && (word == "--" + $0.long || $0.short.map { short in word == "-\(short)" } ?? false)
        } ?? false
    }

    /// Whether a word can only belong to a command: an option, or a URL.
    private static func begins(_ word: Substring) -> Bool { word.hasPrefix("-") || word.contains("://") }

    private static func isOperand(_ word: Substring, _ command: Command?) -> Bool {
        let word = bare(word)
        if begins(word) || word.contains("/") || word.contains("=") { return true }
        if word.count == 8, word.allSatisfy(\.isHexDigit) { return true }
        if word.contains(where: \.isUppercase), word.allSatisfy({ $0.isUppercase || "…|[]".contains($0) }) {
            return true
        }
        return command?.keywords.contains(String(word)) ?? false
    }
}

extension Command {
    /// The words of its synopsis and values that are typed literally: `start`, `set`, `metered`.
    fileprivate var keywords: Set<String> {
        let synopsis = operands.split { !$0.isLetter }.map(String.init).filter { $0 == $0.lowercased() }
        let conditions =
            name == "conditions" ? SaidCondition.all.flatMap { [$0.name] + $0.values } : []
        return Set(synopsis + conditions)
    }
}
