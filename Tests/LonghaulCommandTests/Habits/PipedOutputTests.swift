import Glibc
import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

/// Users of curl expect the file itself in a pipe or a redirection, which receive its path.
struct PipedOutputTests {
    private let sentence = "-o - writes the file there"

    /// Runs a download with this standard output, and returns its messages.
    private func said(_ words: [String], to output: Int32, isTerminal: Bool = false) async -> String {
        let test = TestWorld(
            ScriptedService {
                let ended = (1...2).map { snapshot($0, .succeeded) }
                $0.watches = [ScriptedService.Watch(updates: [WatchUpdate(changed: ended, removed: [])])]
            })
        var world = test.world(directory: "/tmp")
        world.console = test.console(isOutputTerminal: isTerminal)
        world.output = output
        #expect(await Program(world: world).run(words) == 0)
        #expect(
            isTerminal || test.printed.contains("/there/big.iso") || words.contains("-b") || words.contains("--json"))
        return test.said
    }

    private func withPipe(_ body: (Int32) async -> Void) async {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        await body(ends[1])
        for end in ends { close(end) }
    }

    @Test func pipedDownloadExplainsPathOutput() async {
        await withPipe { output in
            for words in [["http://h/a?key=s3cret"], ["-fsSL", "http://h/a"], ["-s", "http://h/a", "-u", "a:s3cret"]] {
                let said = await said(words, to: output)
                #expect(said.contains("saved in /tmp, ") && said.contains(sentence) && !said.contains("s3cret"))
            }
        }
    }

    @Test func redirectedDownloadExplainsPathOutput() async throws {
        let scratch = Scratch()
        let file = open(scratch.path + "/output", O_CREAT | O_WRONLY, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        #expect(await said(["http://h/a"], to: file).contains(sentence))
    }

    @Test(arguments: [["-q"], ["--json"], ["-b"], ["-o", "x-of-nothing"]])
    func chosenOutputIsNotQuestioned(options: [String]) async {
        await withPipe { #expect(!(await said(options + ["http://h/a"], to: $0)).contains(sentence)) }
    }

    @Test func terminalAndDeviceOutputNeedNoExplanation() async {
        await withPipe { #expect(!(await said(["http://h/a"], to: $0, isTerminal: true)).contains(sentence)) }
        let null = open("/dev/null", O_WRONLY)
        #expect(!(await said(["http://h/a"], to: null)).contains(sentence))
        close(null)
    }

    @Test func severalDownloadsExplainPathOutputOnce() async {
        await withPipe { output in
            let said = await said(["http://h/a", "http://h/b"], to: output)
            #expect(said.ranges(of: "-o - writes one file there").count == 1 && !said.contains(sentence))
        }
    }
}
