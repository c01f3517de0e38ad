import LonghaulCore
import LonghaulSystem

/// The command's texts in one language, as gettext's `msgfmt` writes them (a `.mo` file).
///
/// The system's own gettext trusts the lengths in a damaged file, and finds nothing for a language whose locale was not
/// generated on the machine (`docs/decisions/translations.md`).
struct Catalogue: Sendable {
    private let texts: [String: String]
    private let patterns: [Pattern]

    /// Returns `nil` if the bytes are not a catalogue, or a damaged one.
    init?(_ bytes: [UInt8]) {
        let image = Image(bytes)
        guard let image, let count = image.number(at: 8), let from = image.number(at: 12), let to = image.number(at: 16)
        else { return nil }
        var texts: [String: String] = [:]
        var index = 0
        // A wrong count refers to bytes outside the file.
        while index < count {
            guard let english = image.text(at: from + 8 * index), let translated = image.text(at: to + 8 * index)
            else { return nil }
            texts[english] = translated
            index += 1
        }
        // The header of the catalogue.
        texts[""] = nil
        self.texts = texts
        patterns = texts.sorted { $0.key < $1.key }.compactMap { Pattern($0.key, $0.value) }.sorted {
            $0.literalCount > $1.literalCount
        }
    }

    /// Returns the text in this language, or unchanged if it has no translation.
    func text(_ english: String) -> String {
        texts[english].map(DisplayText.clean) ?? english
    }

    func text(_ message: Message) -> String {
        Message.fill(text(message.template), with: message.values.map(value))
    }

    /// Returns the translation of sentences whose values are already in them, as in the failures of the service.
    func sentences(_ english: String) -> String {
        // A text may be several sentences, and details may follow it, so the longest run of sentences comes first.
        var rest = english.split(separator: ". ").map { String($0) + "." }[...]
        if let last = rest.popLast() { rest.append(String(last.dropLast())) }
        var translated: [String] = []
        while !rest.isEmpty {
            let (text, count) = longestText(in: rest) ?? (rest[rest.startIndex], 1)
            translated.append(text)
            rest = rest.dropFirst(count)
        }
        let text = translated.joined(separator: " ")
        return text == english ? sentence(english, allowsSentencesAsValues: true) ?? english : text
    }

    /// Returns the translation of the most sentences at the beginning that are one text, and their number.
    private func longestText(in sentences: ArraySlice<String>) -> (String, Int)? {
        for count in (1...min(sentences.count, Self.longestRun)).reversed() {
            let run = sentences.prefix(count).joined(separator: " ")
            if let text = sentence(run, allowsSentencesAsValues: false) { return (text, count) }
        }
        return nil
    }

    /// The most sentences of one text. A server's own explanation may have hundreds.
    private static let longestRun = 6

    /// Returns the translation of a value that is a reason in words. A single word may be the name of a file. Some sentences have
    /// the system's reason in its own spelling, with a capital.
    private func value(_ text: String) -> String {
        guard text.contains(" ") else { return text }
        let translated = sentences(text)
        guard translated == text, let first = text.first, first.isUppercase else { return translated }
        return texts[first.lowercased() + text.dropFirst()].map(DisplayText.clean) ?? text
    }

    private func sentence(_ english: String, allowsSentencesAsValues: Bool) -> String? {
        if let text = texts[english] { return DisplayText.clean(text) }
        for pattern in patterns {
            guard let values = pattern.values(in: english),
                allowsSentencesAsValues || !values.contains(where: { $0.contains(". ") })
            else { continue }
            return Message.fill(DisplayText.clean(pattern.translation), with: values.map(value))
        }
        return nil
    }

    /// A text with values, to find them in a sentence.
    private struct Pattern: Sendable {
        let translation: String
        let literalCount: Int
        /// The literals around the values, which are `numbers`.
        private let literals: [String]
        private let numbers: [Int]

        /// Returns `nil` for a text that has no values, or too few words to identify a sentence.
        init?(_ english: String, _ translation: String) {
            var literals = [""]
            var numbers: [Int] = []
            var rest = Substring(english)
            while let letter = rest.popFirst() {
                let digits = letter == "%" ? rest.prefix(while: \.isNumber) : ""
                if let number = Int(digits) {
                    numbers.append(number)
                    literals.append("")
                    rest = rest[digits.endIndex...]
                } else {
                    literals[literals.count - 1].append(letter)
                }
            }
            literalCount = literals.joined().count(where: \.isLetter)
            guard !numbers.isEmpty, numbers.sorted() == Array(1...numbers.count), literalCount >= 6 else { return nil }
            self.translation = translation
            self.literals = literals
            self.numbers = numbers
        }

        /// Returns the values if the sentence is this text.
        func values(in sentence: String) -> [String]? {
            guard sentence.hasPrefix(literals[0]) else { return nil }
            var values = [String](repeating: "", count: numbers.count)
            var rest = sentence.dropFirst(literals[0].count)
            for (index, number) in numbers.enumerated() {
                let next = literals[index + 1]
                if index == numbers.count - 1 {
                    guard rest.hasSuffix(next), rest.count >= next.count else { return nil }
                    values[number - 1] = String(rest.dropLast(next.count))
                } else {
                    guard !next.isEmpty, let found = rest.firstRange(of: next) else { return nil }
                    values[number - 1] = String(rest[..<found.lowerBound])
                    rest = rest[found.upperBound...]
                }
            }
            return values
        }
    }

    /// The bytes of the file, in the order of the machine that wrote them.
    private struct Image {
        private let bytes: [UInt8]
        private let isBigEndian: Bool

        init?(_ bytes: [UInt8]) {
            self.bytes = bytes
            switch bytes.prefix(4) {
            case [0xDE, 0x12, 0x04, 0x95]: isBigEndian = false
            case [0x95, 0x04, 0x12, 0xDE]: isBigEndian = true
            default: return nil
            }
        }

        func number(at offset: Int) -> Int? {
            guard offset >= 0, offset <= bytes.count - 4 else { return nil }
            let four = bytes[offset..<offset + 4]
            return (isBigEndian ? Array(four) : four.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }

        /// Returns the text whose length and offset are at `entry`. A zero follows the text.
        func text(at entry: Int) -> String? {
            guard let length = number(at: entry), let start = number(at: entry + 4), start + length < bytes.count,
                bytes[start + length] == 0
            else { return nil }
            return String(validating: bytes[start..<start + length], as: UTF8.self)
        }
    }
}

extension Catalogue {
    private static let largest = 4 << 20

    /// Returns the catalogue for the caller's language, from `../share/locale` beside the program or from the directory
    /// `LONGHAUL_CATALOGUES`; `nil` for English, and if no catalogue can be read.
    static func find(_ environment: [String: String]) -> Catalogue? {
        let installed = Directory.of(Directory.of(ThisProcess.executable)) + "/share/locale"
        let place = environment["LONGHAUL_CATALOGUES"] ?? installed
        for language in ReadLanguages.names(environment) {
            // A damaged file must not keep the command from speaking English.
            let bytes = try? LocalFiles.readAll("\(place)/\(language)/LC_MESSAGES/longhaul.mo", limit: largest)
            if let bytes, let catalogue = Catalogue(bytes) { return catalogue }
        }
        return nil
    }
}
