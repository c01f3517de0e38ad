import LonghaulCore
import LonghaulSystem
import Synchronization
import Testing

@testable import LonghaulCommand

/// Options that a user wants for every transfer.
struct PreferencesTests {
    private func submitted(_ preferences: String, _ words: String...) async throws -> (Int32, TransferSpec?, String) {
        let scratch = Scratch()
        let test = TestWorld()
        var world = test.world()
        world.environment["XDG_CONFIG_HOME"] = scratch.path
        try LocalPaths.makeDirectory(scratch.path + "/longhaul")
        try LocalFiles.write(Array(preferences.utf8), to: scratch.path + "/longhaul/options", overwrites: true)
        let status = await Program(world: world).run(words)
        return (status, test.service.state.withLock { $0.submitted.first }, test.said)
    }

    @Test func preferencesPrecedeCommandArguments() async throws {
        let text = "# mine\n\n--limit-rate 2M\npriority = 4\nno-metered\ndirectory /tmp\n"
        let spec = try #require(try await submitted(text, "download", "-b", "http://h/", "--priority", "5").1)
        #expect(spec.options.rateLimit == 2 << 20 && spec.options.priority == 5)
        #expect(!spec.options.conditions.allowsExpensiveNetworkAccess)
        let request = try #require(try await submitted(text, "request", "-b", "http://h/").1)
        #expect(request.options.priority == 4, "options of other commands are ignored")
    }

    @Test(arguments: ["-d /tmp", "-d=/tmp", "--directory /tmp", "directory=/tmp"])
    func optionIsReadInEveryForm(line: String) async throws {
        let (status, spec, said) = try await submitted(line, "-b", "http://h/")
        #expect(status == 0 && spec?.download?.directory == "/tmp", "\(said)")
    }

    @Test(arguments: ["-Z", "d /tmp", "colour red", "priority", "no-metered yes", "sha256 12", "json"])
    func aMistakeIsNamedWithItsLine(line: String) async throws {
        let (status, spec, said) = try await submitted(
            "priority 1\n" + line, "download", "-b", "-d", "/tmp", "http://h/")
        #expect(status == 2 && spec == nil && said.contains("longhaul/options:2: "), "\(said)")
    }

    @Test func otherCommandsDoNotReadThem() async throws {
        #expect(try await submitted("colour red", "list").0 == 0)
    }
}
