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

    @Test(arguments: copied) func copiedCommand(row: HabitRow) async throws { try await check(row) }

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

    @Test func suggestionHidesPasswordOfCertificate() async throws {
        let words = ["-I", "--cert", "c.p12:s3:cret", "--pass", "t0p", "http://h.example/a"]
        let (test, _) = try await run(words)
        #expect(Self.command(in: test.said) == "longhaul request HEAD http://h.example/a -E c.p12 --pass -")
    }

    private func check(_ row: HabitRow) async throws {
        let (test, status) = try await run(row.words)
        switch row.meaning {
        case .does(let wanted):
            let facts = test.submitted.map(\.facts)
            #expect(status == 0 && !facts.isEmpty, "\(test.said)")
            for fact in wanted { #expect(facts.contains { $0.contains(fact) }, "\(fact) is not in \(facts)") }
        case .types(let command):
            #expect([ExitStatus.usage, .localFile].map(\.number).contains(status) && test.submitted.isEmpty)
            #expect(Self.command(in: test.said) == command, "\(test.said)")
            try await checkRuns(command)
        case .says(let sentence):
            #expect(status == 2 && test.submitted.isEmpty)
            #expect(test.said.contains(sentence), "\(test.said)")
            if let command = Self.command(in: test.said) { try await checkRuns(command) }
        }
    }

    /// The command at the end of a refusal.
    private static func command(in said: String) -> String? {
        guard let start = [": ", "? "].compactMap({ said.ranges(of: $0 + "longhaul ").last }).last else { return nil }
        var command = said[said.index(start.lowerBound, offsetBy: 2)...]
        if let code = command.firstRange(of: " [") { command = command[..<code.lowerBound] }
        return String(command.trimming(\.isWhitespace))
    }

    /// Runs a command of a hint. Placeholders replace values that the user did not type.
    private func checkRuns(_ command: String) async throws {
        let typed = command.split(separator: " > ").first.map(String.init) ?? command
        var words = Array(HabitRow.words(of: typed).dropFirst())
        words = words.map { (word: String) -> String in
            switch word {
            case "URL": "http://h.example/a"
            case "FILE": "a"
            case "ID": "00000001"
            default: word
            }
        }
        let (test, status) = try await run(words)
        // Only a real service writes to standard output.
        let isStreamed = words.contains { ["-", "/dev/stdout"].contains($0) }
        #expect(status == 0 || isStreamed && status != 2, "\(command): \(test.said)")
    }

    private func run(_ words: [String]) async throws -> (TestWorld, Int32) {
        let scratch = Scratch()
        try scratch.write("http://h.example/1\nhttp://h.example/2\n", to: "uris.txt")
        try scratch.write("# Netscape HTTP Cookie File\n", to: "cookies.txt")
        try scratch.write("some", to: "some.bin")
        try scratch.write("text", to: "data.json")
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
