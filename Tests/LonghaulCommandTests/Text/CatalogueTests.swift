import LonghaulCore
import LonghaulSystem
import Testing

@testable import LonghaulCommand

/// Reading what `msgfmt` writes, and finding it.
struct CatalogueTests {
    private static let greetings = ["Send this Referer": "이 Referer를 보냅니다", "Usage:": "사용법:"]

    /// A `.mo` file in msgfmt's layout: header, offsets of the texts, offsets of the translations, and all strings with a final zero.
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
        #expect(catalogue.text("Send this Cookie") == "Send this Cookie", "a text without a translation stays English")
    }

    @Test func translationChangesTheOrderOfValues() throws {
        let catalogue = try #require(Catalogue(Self.file(["%1 of %2 done": "%2 중 %1 완료"])))
        Language.$catalogue.withValue(catalogue) {
            #expect(tr("\(3) of \("%1") done") == "%1 중 3 완료", "a value is not a template")
            #expect(tr("\(3) of \("x") left") == "3 of x left")
        }
        #expect(tr("\(3) of " + "\(4) done") == "3 of 4 done")
    }

    @Test(arguments: [
        ("The server h.example refused the connection to port 81.", "h.example 서버가 81번 포트 연결을 거부했습니다."),
        ("The server a refused the connection to port 81. Start it.", "a 서버가 81번 포트 연결을 거부했습니다. Start it."),
        (
            "The server h.example refused the connection to port 81",
            "The server h.example refused the connection to port 81"
        ),
        ("Cannot read b.txt: Permission denied.", "b.txt를 읽을 수 없습니다: 권한이 없습니다."),
        ("Cannot read x: y: Stale file handle.", "x를 읽을 수 없습니다: y: Stale file handle."),
    ])
    func failureOfTheServiceIsTranslated(english: String, korean: String) throws {
        let catalogue = try #require(
            Catalogue(
                Self.file([
                    "The server %1 refused the connection to port %2.": "%1 서버가 %2번 포트 연결을 거부했습니다.",
                    "Cannot read %1: %2.": "%1를 읽을 수 없습니다: %2.", "Permission denied": "권한이 없습니다",
                    "%1: %2": "%1 - %2",
                ])))
        Language.$catalogue.withValue(catalogue) {
            #expect(TransferFailure(.connectionRefused, english).translated.summary == korean)
        }
        #expect(TransferFailure(.connectionRefused, english).translated.summary == english)
    }

    /// The text of a failure may be two sentences, which details follow that are a text too.
    @Test func detailsMayFollowTranslatedText() throws {
        let catalogue = try #require(
            Catalogue(
                Self.file([
                    "The certificate of %1 is untrusted. Accept it with longhaul trust.": "%1 인증서: longhaul trust.",
                    "Subject: %1; issuer: %2.": "주체: %1; 발급자: %2.",
                ])))
        let text = "The certificate of h.example is untrusted. Accept it with longhaul trust."
        let details = "Subject: CN=h; issuer: CN=ca."
        for (english, korean) in [
            (text + " " + details, "h.example 인증서: longhaul trust. 주체: CN=h; 발급자: CN=ca."),
            (details + " " + text, "주체: CN=h; 발급자: CN=ca. h.example 인증서: longhaul trust."),
            (text + " Unknown. " + details, "h.example 인증서: longhaul trust. Unknown. 주체: CN=h; 발급자: CN=ca."),
            (text, "h.example 인증서: longhaul trust."),
        ] {
            #expect(catalogue.sentences(english) == korean)
        }
    }

    @Test(arguments: ["no such file or directory", "No such file or directory"])
    func reasonOfTheSystemIsTranslatedInEitherSpelling(reason: String) throws {
        let catalogue = try #require(
            Catalogue(
                Self.file([
                    "Cannot read %1: %2. Check it.": "%1 읽기 실패: %2. 확인하세요.",
                    "no such file or directory": "파일이나 디렉터리가 없습니다",
                ])))
        #expect(
            catalogue.sentences("Cannot read a: \(reason). Check it.")
                == "a 읽기 실패: 파일이나 디렉터리가 없습니다. 확인하세요.")
        #expect(TranslationTemplate.entries.contains { $0.text == "no such file or directory" })
    }

    @Test func spansEventsAndConditionsAreTranslated() throws {
        let catalogue = try #require(
            Catalogue(
                Self.file([
                    "%1 h %2 min": "%1시간 %2분", "%1 s": "%1초", "failed": "실패", "metered": "종량제", "yes": "예",
                    "The server is gone.": "서버가 없습니다.",
                ])))
        Language.$catalogue.withValue(catalogue) {
            #expect(HumanText.span(.seconds(10_260)) == "2시간 51분")
            #expect(HumanText.span(.zero) == "0초" && HumanText.tenths(.milliseconds(1_500)) == "1.5초")
            let entry = HistoryEntry(
                number: 1, at: start, event: "failed", detail: "notFound: The server is gone.", bytesDone: 0)
            let line = HistoryText.line(entry, TestWorld().world())
            #expect(line.contains("  실패 ") && line.hasSuffix("notFound: 서버가 없습니다."), "\(line)")
            var report = ConditionsReport()
            report.measured.isExpensive = true
            #expect(ConditionsText.lines(report)[2].hasPrefix("metered (종량제) yes (예)"))
        }
        #expect(HumanText.span(.seconds(10_260)) == "2 h 51 min")
    }

    @Test func headerOfTheCatalogIsNoTranslation() throws {
        let catalogue = try #require(Catalogue(Self.file(["": "Language: ko\n", "Usage:": "사용법:"])))
        #expect(catalogue.text("") == "" && catalogue.sentences("") == "")
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
