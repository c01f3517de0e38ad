import LonghaulCore
import LonghaulSystem

/// The command's texts in one language, as gettext's `msgfmt` writes them (a `.mo` file).
///
/// The system's own gettext would follow whatever a damaged file says of its lengths, and finds nothing for a language
/// whose locale was not generated on the machine (`docs/decisions/translations.md`).
struct Catalogue: Sendable {
    private let texts: [String: String]

    /// `nil` where the bytes are no catalogue, or a damaged one.
    init?(_ bytes: [UInt8]) {
        let image = Image(bytes)
        guard let image, let count = image.number(at: 8), let from = image.number(at: 12), let to = image.number(at: 16)
        else { return nil }
        var texts: [String: String] = [:]
        var index = 0
        // A count that is wrong leads out of the file.
        while index < count {
            guard let english = image.text(at: from + 8 * index), let translated = image.text(at: to + 8 * index)
            else { return nil }
            texts[english] = translated
            index += 1
        }
        self.texts = texts
    }

    /// The text in this language, or as it is where that is missing.
    func text(_ english: String) -> String {
        texts[english].map(DisplayText.clean) ?? english
    }

    func text(_ message: Message) -> String {
        Message.fill(text(message.template), with: message.values)
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

        /// The text whose length and place stand there. A zero follows it.
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

    /// The one for whoever calls the program. It lies where the program was installed: `../share/locale` beside it, or
    /// in the directory that `LONGHAUL_CATALOGUES` names. `nil` for English, and where there is none that can be read.
    static func find(_ environment: [String: String]) -> Catalogue? {
        let installed = Directory.of(Directory.of(ThisProcess.executable)) + "/share/locale"
        let place = environment["LONGHAUL_CATALOGUES"] ?? installed
        for language in ReadLanguages.names(environment) {
            // Whatever is the matter with it, there is English.
            let bytes = try? LocalFiles.readAll("\(place)/\(language)/LC_MESSAGES/longhaul.mo", limit: largest)
            if let bytes, let catalogue = Catalogue(bytes) { return catalogue }
        }
        return nil
    }
}
