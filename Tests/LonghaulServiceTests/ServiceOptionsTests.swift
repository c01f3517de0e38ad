import LonghaulService
import Testing

@Suite struct ServiceOptionsTests {
    @Test func withoutArgumentsTheDefaultsRun() {
        #expect(ServiceOptions.parse([]) == .run(ServiceOptions()))
    }

    @Test(arguments: [["--idle-exit", "0"], ["--idle-exit=0"]]) func aValueFollowsItsOptionInEitherWay(
        _ arguments: [String]
    ) {
        var options = ServiceOptions()
        options.idleExitSeconds = 0
        #expect(ServiceOptions.parse(arguments) == .run(options))
    }

    @Test(arguments: [
        ["--idle-exit"], ["--idle-exit", "soon"], ["--idle-exit", "-1"], ["--ready-fd", "2"],
        ["--ready-fd=99999999999"],
        ["--nope"], ["file"], ["--idle-exitx"], [""],
    ])
    func invalidArgumentsAreRefusedWithMessage(_ arguments: [String]) {
        guard case .refused(let sentence) = ServiceOptions.parse(arguments) else {
            Issue.record("accepted \(arguments)")
            return
        }
        #expect(sentence.hasSuffix("."))
    }

    @Test func helpAndVersionComeBeforeEverythingElse() {
        #expect(ServiceOptions.parse(["--ready-fd", "3", "--help", "--nope"]) == .help)
        #expect(ServiceOptions.parse(["--version"]) == .version)
    }
}
