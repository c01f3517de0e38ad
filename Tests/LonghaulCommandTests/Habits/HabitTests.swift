import LonghaulCore
import LonghaulSystem
import Synchronization
import Testing

@testable import LonghaulCommand

/// First commands from the manuals of curl, wget, and aria2, with `longhaul` for the program's name: each does what was meant,
/// or prints the command that does.
struct HabitTests {
    @Test(arguments: curl) func curlHabit(row: HabitRow) async throws { try await check(row) }

    @Test(arguments: wget) func wgetHabit(row: HabitRow) async throws { try await check(row) }

    @Test(arguments: aria2) func aria2Habit(row: HabitRow) async throws { try await check(row) }

    @Test(arguments: others) func otherHabit(row: HabitRow) async throws { try await check(row) }

    @Test(arguments: copied + named) func copiedCommand(row: HabitRow) async throws { try await check(row) }

    @Test(arguments: remembered) func rememberedCommand(row: HabitRow) async throws { try await check(row) }

    @Test(arguments: ownWords) func ownWord(row: HabitRow) async throws { try await check(row) }

    @Test func eachManualHasTwentyRows() {
        #expect([Self.curl, Self.wget, Self.aria2].allSatisfy { $0.count >= 20 })
    }

    @Test(arguments: [
        HabitRow.Meaning.says(""), .says("--"), .says("no option"), .types("longhaul "), .does([]), .does([""]),
    ])
    func emptyExpectationIsRefused(meaning: HabitRow.Meaning) {
        #expect(!HabitRow.isTelling(meaning))
    }

    /// With the name of their program before them, the words do what was meant too, or lead to a command that works.
    @Test(
        arguments: [("curl", curl), ("wget", wget), ("aria2c", aria2)].flatMap { name, rows in
            rows.map { $0.after(name) }
        })
    func namedProgram(row: HabitRow) async throws {
        let (test, status) = try await run(row.words)
        let isDone = status != 2 && !test.submitted.isEmpty
        let isAnswered = ["Longhaul ", "longhaul help", "type: "].contains(where: test.said.contains)
        #expect(isDone || isAnswered, "\(test.said)")
        if !isDone, let command = Self.command(in: test.said) { try await checkRuns(command) }
    }

    @Test(arguments: [["-q"], []]) func limitOfTheSessionIsNamedUnlessQuiet(options: [String]) async throws {
        let (test, status) = try await run(["aria2c", "-j5", "-i", "uris.txt"] + options)
        #expect(status == 0 && test.submitted.count == 2)
        #expect(test.said.contains("-j: ") == options.isEmpty)
        #expect(test.said.contains("type: longhaul limits --total 5\n") == options.isEmpty, "\(test.said)")
    }

    @Test(arguments: [
        ("curl -sS http://h/a", "http://h/a -q -o -"), ("curl -fO http://h/a", "http://h/a --url-name --overwrite"),
        ("wget -qO- http://h/a", "http://h/a -q -o -"), ("wget -O b http://h/a", "http://h/a -o b --overwrite"),
    ])
    func namedProgramIsTranslated(line: String, words: String) throws {
        let typed = HabitRow.words(of: line)
        let program = try #require(ForeignProgram(word: typed[0]))
        let command = try ForeignCommand(typed.dropFirst(), of: program, isNamed: true)
        #expect(try command.words().joined(separator: " ") == words)
    }

    /// An option is honored, refused by a sentence that names it, or listed here.
    @Test func optionsWithoutEffectAreDocumented() throws {
        let page = try documentText("docs/how-to/coming-from-curl-wget-aria2.md")
        let words = Set(page.split { "` \n,|".contains($0) })
        for program in ForeignProgram.allCases {
            let missing = ForeignOption.withoutEffect(of: program).filter { !words.contains($0) }
            #expect(missing.isEmpty, "\(program)")
        }
    }

    @Test func suggestionHidesPasswordOfCertificate() async throws {
        let words = ["-I", "--cert", "c.p12:s3:cret", "--pass", "t0p", "http://h.example/a"]
        let (test, _) = try await run(words)
        #expect(Self.command(in: test.said) == "longhaul request HEAD http://h.example/a -E c.p12 --pass -")
    }

    private func check(_ row: HabitRow) async throws {
        let (test, status) = try await run(row.words)
        switch row.meaning {
        case .does(let wanted):
            var facts = test.submitted.map(\.facts)
            if test.printed.isEmpty { facts.append(["prints nothing"]) }
            if test.said.isEmpty { facts.append(["says nothing"]) }
            let isStreamed = facts.contains { $0.contains("to standard output") }
            #expect(!test.submitted.isEmpty, "\(test.said)")
            // Only a real service writes to standard output.
            #expect(status == 0 || isStreamed && status != 2, "\(test.said)")
            for fact in wanted { #expect(facts.contains { $0.contains(fact) }, "\(fact) is not in \(facts)") }
        case .types(let command):
            #expect([ExitStatus.usage, .localFile].map(\.number).contains(status) && test.submitted.isEmpty)
            #expect(Self.command(in: test.said) == command, "\(test.said)")
            try await checkRuns(command)
        case .says(let sentence):
            #expect([ExitStatus.usage, .localFile].map(\.number).contains(status) && test.submitted.isEmpty)
            #expect(test.said.contains(sentence), "\(test.said)")
            if let command = Self.command(in: test.said) { try await checkRuns(command) }
            if let words = Self.corrected(row.words, test.said) { try await checkRuns(words) }
        }
    }

    /// The command at the end of a refusal.
    private static func command(in said: String) -> String? {
        guard let start = [": ", "? "].compactMap({ said.ranges(of: $0 + "longhaul ").last }).last else { return nil }
        var command = said[said.index(start.lowerBound, offsetBy: 2)...]
        if let code = command.firstRange(of: " [") { command = command[..<code.lowerBound] }
        return String(command.trimming(\.isWhitespace))
    }

    /// Returns the words with the option of "Did you mean --OPTION?" in place of the unknown one.
    private static func corrected(_ words: [String], _ said: String) -> [String]? {
        guard let match = said.firstMatch(of: /There is no option (\S+)\. Did you mean (--[^?]+)\?/),
            let index = words.firstIndex(where: { $0 == match.1 || $0.hasPrefix(match.1 + "=") })
        else { return nil }
        let meant = HabitRow.words(of: String(match.2))
        var corrected = words
        guard meant.count > 1 else {
            corrected[index] = meant[0] + words[index].dropFirst(match.1.count)
            return corrected
        }
        // The advice has a value, which replaces that of the unknown option.
        if words.indices.contains(index + 1), words[index + 1] == "VALUE" { corrected.remove(at: index + 1) }
        corrected.replaceSubrange(index...index, with: meant)
        return corrected
    }

    /// Runs the commands of a hint.
    private func checkRuns(_ line: String) async throws {
        for command in line.split(separator: " && ") {
            let typed = command.split(separator: " > ").first ?? command
            try await checkRuns(Array(HabitRow.words(of: String(typed)).dropFirst()))
        }
    }

    /// Runs a command of a hint. Placeholders replace values that the user did not type.
    private func checkRuns(_ typed: [String]) async throws {
        let words = typed.map { (word: String) -> String in
            switch word {
            case "URL": "http://h.example/a"
            case "DIR": "folder"
            case "FILE": "a"
            case "ID": "00000001"
            default: word
            }
        }
        let (test, status) = try await run(words)
        // Only a real service writes to standard output.
        let isStreamed = words.contains { ["-", "/dev/stdout"].contains($0) }
        #expect(status == 0 || isStreamed && status != 2, "\(words): \(test.said)")
    }

    private func run(_ words: [String]) async throws -> (TestWorld, Int32) {
        let scratch = Scratch()
        try scratch.write("http://h.example/1\nhttp://h.example/2\n", to: "uris.txt")
        try scratch.write("# Netscape HTTP Cookie File\n", to: "cookies.txt")
        try scratch.write("some", to: "some.bin")
        try scratch.write("text", to: "data.json")
        try scratch.write("%PDF", to: "taken.pdf")
        try scratch.write("machine h.example login ada password pw", to: ".netrc")
        try LocalPaths.makeDirectory(scratch.path + "/folder")
        let ended = (1...3).map { snapshot($0, .succeeded) }
        let test = TestWorld(
            ScriptedService { service in
                service.transfers = [snapshot(1)]
                service.details[id(1)] = TransferDetail(
                    snapshot: snapshot(1), headers: [], response: nil, lastFailure: nil, restarts: 0)
                service.watches = [ScriptedService.Watch(updates: [WatchUpdate(changed: ended, removed: [])])]
            })
        var world = test.world(directory: scratch.path)
        world.environment["HOME"] = scratch.path
        world.environment["XDG_STATE_HOME"] = scratch.path
        return (test, await Program(world: world).run(words))
    }
}

extension TestWorld {
    fileprivate var submitted: [TransferSpec] { service.state.withLock { $0.submitted } }
}
