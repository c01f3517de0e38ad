import LonghaulClient
import LonghaulCore
import Testing

@testable import LonghaulCommand

/// Reading what `msgfmt` writes, and finding it.
struct CatalogueTests {
    private static let greetings = ["Send this Referer": "이 Referer를 보냅니다", "Usage:": "사용법:"]

    /// A `.mo` file as msgfmt lays it out: head, places of the texts, places of the translations, all of them with a zero.
    static func file(_ texts: [String: String], isBigEndian: Bool = false) -> [UInt8] {
        let entries = texts.sorted { $0.key < $1.key }
        var head: [UInt32] = [0x9504_12DE, 0, UInt32(entries.count), 28, UInt32(28 + 8 * entries.count), 0, 0]
        var content: [UInt8] = []
        for text in entries.map(\.key) + entries.map(\.value) {
            head += [UInt32(text.utf8.count), UInt32(28 + 16 * entries.count + content.count)]
            content += Array(text.utf8) + [0]
        }
        let numbers = head.flatMap { number in
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
            return isBigEndian ? bytes.reversed() : bytes
        }
        return numbers + content
    }

    @Test(arguments: [false, true]) func textsAreFoundInEitherOrderOfBytes(isBigEndian: Bool) throws {
        let catalogue = try #require(Catalogue(Self.file(Self.greetings, isBigEndian: isBigEndian)))
        for (english, translated) in Self.greetings { #expect(catalogue.text(english) == translated) }
        #expect(catalogue.text("Send this Cookie") == "Send this Cookie", "what is missing stays English")
    }

    @Test func aTextCannotMoveTheCursor() throws {
        let catalogue = try #require(Catalogue(Self.file(["Usage:": "\u{1B}[2J"])))
        #expect(catalogue.text("Usage:") == "\u{FFFD}[2J")
    }

    /// The system's gettext crashes on one of seven of these.
    @Test func noDamageIsFollowedOutOfTheFile() {
        let whole = Self.file(Self.greetings)
        for count in whole.indices { #expect(Catalogue(Array(whole[..<count])) == nil, "only \(count) bytes") }
        for index in whole.indices {
            for value: UInt8 in [0, 0x7F, 0x80, 0xFF] {
                var damaged = whole
                damaged[index] = value
                _ = Catalogue(damaged)?.text("Usage:")
            }
        }
        #expect(Catalogue([]) == nil)
        #expect(Catalogue(Array("msgid \"Usage:\"".utf8)) == nil)
    }

    @Test(arguments: [
        (["LANG": "ko_KR.UTF-8"], ["ko_KR", "ko"]),
        (["LANG": "ko"], ["ko"]),
        (["LANG": "en_US.UTF-8", "LC_MESSAGES": "ko_KR.eucKR"], ["ko_KR", "ko"]),
        (["LANG": "ko_KR.UTF-8", "LC_ALL": "de_DE.UTF-8"], ["de_DE", "de"]),
        (["LANG": "ko_KR.UTF-8", "LC_ALL": ""], ["ko_KR", "ko"]),
        (["LANG": "de_DE.UTF-8", "LANGUAGE": "sr_RS@latin:ko"], ["sr_RS@latin", "sr@latin", "sr_RS", "sr", "ko"]),
        (["LANG": "ko_KR.UTF-8", "LANGUAGE": "en:ko"], []),
        (["LANG": "ko_KR.UTF-8", "LANGUAGE": "../../ko:ko"], ["ko"]),
        (["LANG": "C", "LANGUAGE": "ko"], []),
        (["LANG": "C.UTF-8", "LANGUAGE": "ko"], []),
        (["LC_ALL": "POSIX", "LANG": "ko_KR.UTF-8"], []),
        (["LANG": "/etc/ko"], []),
        ([:], []),
    ])
    func theLanguageIsTheCallers(environment: [String: String], names: [String]) {
        #expect(ReadLanguages.names(environment) == names)
    }

    @Test func theFirstLanguageThatCanBeReadIsTaken() throws {
        let scratch = Scratch()
        for language in ["de", "ko"] { try LocalPaths.makeDirectory("\(scratch.path)/\(language)/LC_MESSAGES") }
        func place(_ language: String) -> String { "\(scratch.path)/\(language)/LC_MESSAGES/longhaul.mo" }
        try LocalFiles.write(Array("damaged".utf8), to: place("de"), overwrites: false)
        try LocalFiles.write(Self.file(Self.greetings), to: place("ko"), overwrites: false)
        func find(_ languages: String) -> Catalogue? {
            Catalogue.find([
                "LONGHAUL_CATALOGUES": scratch.path, "LANG": "de_DE.UTF-8", "LANGUAGE": languages,
            ])
        }
        #expect(find("de:ko")?.text("Usage:") == "사용법:", "a damaged one is passed by")
        #expect(find("fr:ko")?.text("Usage:") == "사용법:")
        #expect(find("de:fr") == nil)
        #expect(Catalogue.find(["LONGHAUL_CATALOGUES": scratch.path, "LANG": "C"]) == nil)
    }
}
