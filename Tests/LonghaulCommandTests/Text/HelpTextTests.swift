import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulCommand

/// The help in English, and in the languages that are shipped.
struct HelpTextTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    static func korean() throws -> Catalogue {
        guard LocalFiles.exists("/usr/bin/msgfmt") else {
            try Test.cancel("msgfmt is not installed: it compiles the translations")
        }
        let scratch = Scratch()
        let compiled = scratch.path + "/ko.mo"
        let made = try ProgramCall("/usr/bin/msgfmt", ["-o", compiled, root + "/po/ko.po"], environment: [:]).run()
        #expect(made.ending == .exited(0), "\(made.errorOutput)")
        return try #require(Catalogue(LocalFiles.readAll(compiled, limit: 1 << 20)))
    }

    /// Pages that fit on a screen.
    private static func pages(_ help: HelpText) -> [String] {
        [help.overview()] + Command.all.map { help.about($0) }
    }

    private static func wholePages(_ help: HelpText) -> [String] {
        Command.all.map { help.about($0, isWhole: true) }
    }

    /// Only of lines that start with an option: others continue a text.
    private static func options(in page: String) -> [Substring] {
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("  -") || $0.hasPrefix("      --") }
        return rows.flatMap { line in
            let words = line.split(whereSeparator: { " ,[]".contains($0) })
            return words.prefix(words.first?.count == 2 ? 2 : 1)
        }
    }

    @Test func linesFitInEightyColumns() throws {
        for help in [HelpText(catalogue: nil), HelpText(catalogue: try Self.korean())] {
            for line in (Self.pages(help) + Self.wholePages(help)).flatMap({ $0.split(separator: "\n") }) {
                #expect(DisplayText.width(String(line)) <= 80, "\(line)")
            }
        }
    }

    @Test func pagesHaveAtMostFiftyLines() throws {
        for help in [HelpText(catalogue: nil), HelpText(catalogue: try Self.korean())] {
            for page in Self.pages(help) {
                let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
                #expect(lines.count <= 50, "\(lines.prefix(3))")
            }
        }
    }

    @Test func optionTextsHaveAtMostTwelveWords() {
        for option in Command.all.flatMap(\.listed) {
            #expect(option.help.split(separator: " ").count <= 12, "--\(option.long): \(option.help)")
            #expect(option.help.first?.isUppercase == true && option.help.last != ".", "--\(option.long)")
        }
    }

    @Test func eachOptionIsInOneGroup() {
        for command in Command.all {
            #expect(Set(command.options).count == command.options.count, "\(command.name)")
            #expect(Set(command.common).isSubset(of: command.listed), "\(command.name)")
            #expect(command.groups.allSatisfy { !$0.options.isEmpty }, "\(command.name)")
            let page = HelpText(catalogue: nil).about(command, isWhole: true)
            let shown = Self.options(in: page).map(String.init).filter { $0.hasPrefix("--") }
            let listed = command.listed.map { "--\($0.long)" }
            #expect(shown == listed, "\(command.name)")
            for group in command.groups { #expect(page.contains("\n\n\(group.title):\n  "), "\(group.title)") }
        }
        #expect(Command.download.groups.count >= 9)
    }

    @Test func shortPagesNameTheirWholePage() async {
        for command in Command.all where command.listed.count > 15 {
            #expect((8...12).contains(command.common.count), "\(command.name)")
            let test = TestWorld()
            #expect(await test.run("help", command.name) == 0)
            #expect(test.printed.hasSuffix("longhaul help \(command.name) all\n"), "\(test.printed)")
            let whole = TestWorld()
            #expect(await whole.run("help", command.name, "all") == 0)
            #expect(whole.printed.contains("\(command.groups[0].title):"))
        }
        #expect([Command.download, .upload, .request].allSatisfy { !$0.common.isEmpty && $0.examples.count >= 2 })
    }

    @Test func manualPageStartsWithExamplesAndRepeatsNoTransferOption() {
        let page = ManualPage.text()
        let sections = page.split(separator: "\n").filter { $0.hasPrefix(".SH ") }.map { $0.dropFirst(4) }
        #expect(sections.prefix(4) == ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES"])
        for option in OptionGroup.transfer.flatMap(\.options) where option.value == "TIME" {
            let own = TransferChange.command.listed.contains(option) ? 1 : 0
            let shown = page.ranges(of: "\\-\\-\(option.long.replacing("-", with: "\\-")) TIME").count
            #expect(shown == 1 + own, "\(option.long)")
        }
    }

    @Test func overviewHasEachCommandInOneGroup() {
        let page = HelpText(catalogue: nil).overview()
        for group in Command.groups { #expect(page.contains("\n\n\(group.title):\n  ")) }
        for command in Command.all { #expect(page.ranges(of: "\n  \(command.name) ").count == 1) }
        #expect(page.contains("Usage: longhaul URL… [options]"))
        #expect(page.ranges(of: "\n  longhaul ").count == 2, "two examples")
    }

    @Test func eachTextIsInTheTemplateAndInKorean() throws {
        let template = String(
            decoding: try LocalFiles.readAll(Self.root + "/po/longhaul.pot", limit: 1 << 20), as: UTF8.self)
        let known = Set(template.split(separator: "\n"))
        let korean = try Self.korean()
        for line in TranslationTemplate.text().split(separator: "\n") where line.hasPrefix("msgid") {
            #expect(known.contains(line), "po/longhaul.pot is outdated, run scripts/translations: \(line)")
        }
        for entry in TranslationTemplate.entries {
            #expect(korean.text(entry.text) != entry.text, "\(entry.place)")
        }
    }

    @Test func theKoreanHelpHasTheSameCommandsAndOptions() throws {
        let english = HelpText(catalogue: nil)
        let korean = HelpText(catalogue: try Self.korean())
        for command in Command.all {
            let korean = korean.about(command, isWhole: true)
            #expect(Self.options(in: korean) == Self.options(in: english.about(command, isWhole: true)))
        }
        for command in Command.all {
            #expect(korean.overview().contains("\n  \(command.name) "))
        }
    }

    @Test func theHelpOfTheCommandIsInTheCallersLanguage() async throws {
        let catalogue = try #require(Catalogue(CatalogueTests.file(["Usage:": "사용법:", "List transfers": "목록"])))
        let test = TestWorld()
        var world = test.world()
        world.catalogue = { catalogue }
        #expect(await Program(world: world).run(["help", "list"]) == 0)
        #expect(test.printed.hasPrefix("목록.\n\n사용법: longhaul list [NAME…] [options]\n"))
        #expect(await Program(world: world).run(["help", "--complete", "lis"]) == 0)
        #expect(test.printed.hasSuffix("list\t목록\n"))
        #expect(await Program(world: world).run(["dowload"]) == 2)
        #expect(test.said.contains("There is no command"), "a text without a translation stays English")
    }

    @Test func wideCharactersCountTwice() {
        #expect(DisplayText.wrapped("파일을 다운로드합니다", 20) == ["파일을", "다운로드합니다"])
        #expect(DisplayText.wrapped("파일을 다운로드합니다", 21) == ["파일을 다운로드합니다"])
        #expect(DisplayText.wrapped("a bb ccc", 4) == ["a bb", "ccc"])
        #expect(DisplayText.wrapped("longer a", 4) == ["longer", "a"])
        #expect(DisplayText.wrapped("", 4) == [])
    }
}
