import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulCommand

/// The help in English, and in the languages that are shipped.
struct HelpTextTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    private static func korean() throws -> Catalogue {
        guard LocalFiles.exists("/usr/bin/msgfmt") else {
            try Test.cancel("msgfmt is not installed: it compiles the translations")
        }
        let scratch = Scratch()
        let compiled = scratch.path + "/ko.mo"
        let made = try ProgramCall("/usr/bin/msgfmt", ["-o", compiled, root + "/po/ko.po"], environment: [:]).run()
        #expect(made.ending == .exited(0), "\(made.errorOutput)")
        return try #require(Catalogue(LocalFiles.readAll(compiled, limit: 1 << 20)))
    }

    private static func pages(_ help: HelpText) -> [String] {
        [help.overview()] + Command.all.map(help.about)
    }

    /// Of the lines that begin with one: others continue a text.
    private static func options(in page: String) -> [Substring] {
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("  -") || $0.hasPrefix("      --") }
        return rows.flatMap { line in
            let words = line.split(whereSeparator: { " ,[]".contains($0) })
            return words.prefix(words.first?.count == 2 ? 2 : 1)
        }
    }

    @Test func nothingIsWiderThanATerminal() throws {
        for help in [HelpText(catalogue: nil), HelpText(catalogue: try Self.korean())] {
            for line in Self.pages(help).flatMap({ $0.split(separator: "\n") }) {
                #expect(DisplayText.width(String(line)) <= 80, "\(line)")
            }
        }
    }

    @Test func eachTextIsInTheTemplateAndInKorean() throws {
        let template = String(
            decoding: try LocalFiles.readAll(Self.root + "/po/longhaul.pot", limit: 1 << 20), as: UTF8.self)
        let known = Set(template.split(separator: "\n"))
        let korean = try Self.korean()
        for line in TranslationTemplate.text().split(separator: "\n") where line.hasPrefix("msgid") {
            #expect(known.contains(line), "scripts/translations writes po/longhaul.pot anew: \(line)")
        }
        for entry in TranslationTemplate.entries {
            #expect(korean.text(entry.text) != entry.text, "\(entry.place)")
        }
    }

    @Test func theKoreanHelpHasTheSameCommandsAndOptions() throws {
        let english = HelpText(catalogue: nil)
        let korean = HelpText(catalogue: try Self.korean())
        for command in Command.all {
            #expect(Self.options(in: korean.about(command)) == Self.options(in: english.about(command)))
            #expect(korean.overview().contains("\n  \(command.name) "))
        }
    }

    @Test func theHelpOfTheCommandIsInTheCallersLanguage() async throws {
        let catalogue = try #require(Catalogue(CatalogueTests.file(["Usage:": "사용법:", "Show the transfers": "목록"])))
        let test = TestWorld()
        var world = test.world()
        world.catalogue = { catalogue }
        #expect(await Program(world: world).run(["help", "list"]) == 0)
        #expect(test.printed.hasPrefix("목록.\n\n사용법: longhaul list [options]\n"))
        let offered = await Language.$catalogue.withValue(catalogue) { await Completion(world: world).lines(["lis"]) }
        #expect(offered == ["list\t목록"])
        #expect(await Program(world: world).run(["dowload"]) == 2)
        #expect(test.said.contains("there is no command"), "a text without a translation stays English")
    }

    @Test func wideCharactersCountTwice() {
        #expect(DisplayText.wrapped("파일을 다운로드합니다", 20) == ["파일을", "다운로드합니다"])
        #expect(DisplayText.wrapped("파일을 다운로드합니다", 21) == ["파일을 다운로드합니다"])
        #expect(DisplayText.wrapped("a bb ccc", 4) == ["a bb", "ccc"])
        #expect(DisplayText.wrapped("longer a", 4) == ["longer", "a"])
        #expect(DisplayText.wrapped("", 4) == [])
    }
}
