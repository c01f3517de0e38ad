import LonghaulCore
import Testing

@testable import LonghaulCommand

struct ArgumentsTests {
    private let output = Option("output", "o", value: "FILE", "")
    private let quiet = Option("quiet", "q", "")
    private let insecure = Option("insecure", "k", "")

    private func parse(_ words: String...) throws(TransferFailure) -> Arguments {
        try Arguments(parsing: words, options: [output, quiet, insecure])
    }

    @Test(arguments: [
        ["--output", "f", "u"], ["--output=f", "u"], ["-o", "f", "u"], ["-of", "u"], ["u", "-o", "f"],
        ["-o", "x", "u", "--output=f"], ["-qof", "u"], ["--output=f", "--", "u"],
    ])
    func anOptionIsReadInEveryUsualForm(words: [String]) throws {
        let arguments = try Arguments(parsing: words, options: [output, quiet, insecure])
        #expect(arguments.value(output) == "f")
        #expect(arguments.operands == ["u"])
    }

    @Test func shortFlagsCluster() throws {
        let arguments = try parse("-qk")
        #expect(arguments.has(quiet) && arguments.has(insecure))
    }

    @Test func afterTwoDashesEverythingIsAnOperand() throws {
        #expect(try parse("--", "-q", "--output").operands == ["-q", "--output"])
    }

    @Test func aSingleDashIsAnOperandAndAValueMayBeginWithOne() throws {
        #expect(try parse("-").operands == ["-"])
        #expect(try parse("-o", "-5").value(output) == "-5")
    }

    @Test func anEmptyAttachedValueIsAValue() throws {
        #expect(try parse("--output=").value(output)?.isEmpty == true)
    }

    @Test(arguments: [
        (["--outptu", "f"], "There is no option --outptu. Did you mean --output?"),
        (["--zzzzzz"], "There is no option --zzzzzz."), (["-b"], "There is no option -b."),
        (["--output"], "--output needs a value."), (["-o"], "-o needs a value."),
        (["--quiet=yes"], "--quiet takes no value."),
    ])
    func aMistakeIsNamed(words: [String], sentence: String) {
        #expect(throws: TransferFailure(.invalidArgument, sentence)) {
            try Arguments(parsing: words, options: [output, quiet, insecure])
        }
    }

    @Test func redundantCurlOptionsAreIgnored() throws {
        let words = ["-fSL", "-O", "--location", "https://h.example/a"]
        #expect(try Arguments(parsing: words, options: Option.transfer).operands == ["https://h.example/a"])
        #expect(throws: TransferFailure.self) { try parse("-L") }
        #expect(throws: TransferFailure.self) { try Arguments(parsing: ["-C", "-"], options: Option.transfer) }
    }

    @Test(arguments: [("dowload", "download"), ("lsit", "list"), ("canc", "cancel"), ("rm", nil), ("xyzzy", nil)])
    func theNearestCommandIsSuggested(typed: String, meant: String?) {
        #expect(Suggestion.nearest(to: typed, among: Command.all.map(\.name)) == meant)
    }

    @Test(arguments: Command.all.map(\.name))
    func noCommandHasAnOptionTwice(name: String) throws {
        let command = try #require(Command.all.first { $0.name == name })
        #expect(Set(command.options.map(\.long)).count == command.options.count)
        let letters = command.options.compactMap(\.short)
        #expect(Set(letters).count == letters.count)
    }
}
