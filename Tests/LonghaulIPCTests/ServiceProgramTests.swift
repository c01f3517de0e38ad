import Glibc
import LonghaulClient
import LonghaulCore
import TestSupport
import Testing

@Suite struct ServiceProgramTests {
    private let places: TemporaryDirectory

    init() throws {
        places = try TemporaryDirectory()
        let directories = ["app", "bin", "opt", "opt/bin", ".local"]
        let libexec = ["opt", ".local"].flatMap { [$0 + "/libexec", $0 + "/libexec/longhaul"] }
        for name in directories + libexec { try places.makeDirectory(name) }
    }

    /// Finds the service for an app in a separate directory.
    private func locate() throws(TransferFailure) -> String {
        let environment = ["PATH": "relative:" + places.path("bin"), "HOME": places.path]
        let program = ServiceProgram(
            environment: environment, ownProgram: places.path("app/Photos"), systemPrefixes: [places.path("none")])
        return try program.locate()
    }

    @discardableResult
    private func install(_ name: String, mode: mode_t = 0o755) throws -> String {
        try places.write([], to: name)
        chmod(places.path(name), mode)
        return places.path(name)
    }

    @Test func anAppFindsWhatTheInstallationPutIntoTheHome() throws {
        let program = try install(".local/libexec/longhaul/longhauld")
        #expect(try locate() == program)
    }

    @Test func anAppFindsWhatBelongsToTheCommandThatALinkLeadsTo() throws {
        try install(".local/libexec/longhaul/longhauld")
        try install("opt/libexec/longhaul/longhauld")
        symlink(try install("opt/bin/longhaul"), places.path("bin/longhaul"))
        #expect(try locate() == places.path("opt/bin") + "/../libexec/longhaul/longhauld")
    }

    @Test func userInstallationTakesPrecedence() throws {
        try install(".local/libexec/longhaul/longhauld")
        let chosen = try install("bin/longhauld", mode: 0o775)
        #expect(try locate() == chosen)
        let own = try install("app/longhauld")
        #expect(try locate() == own)
    }

    @Test(arguments: [0o775, 0o757]) func aProgramThatOthersCanWriteIsNotStarted(_ mode: mode_t) throws {
        let program = try install(".local/libexec/longhaul/longhauld", mode: mode)
        let refusal = #expect(throws: TransferFailure.self) { try locate() }
        #expect(refusal?.code == .serviceUnavailable)
        #expect(refusal?.message.hasPrefix("Could not start " + program) ?? false)
        // So is a program in a directory in which other users can replace it.
        chmod(program, 0o755)
        chmod(places.path(".local/libexec/longhaul"), mode)
        #expect(throws: TransferFailure.self) { try locate() }
        chmod(places.path(".local/libexec/longhaul"), 0o755)
        #expect(try locate() == program)
    }

    @Test(.enabled(if: getuid() == 0, "only root can give a file away"))
    func aProgramOfAnotherUserIsNotStarted() throws {
        chown(try install(".local/libexec/longhaul/longhauld"), 65_534, 65_534)
        #expect(throws: TransferFailure.self) { try locate() }
    }

    @Test func missingServiceNamesPlacesAndRemedy() throws {
        // A directory of that name does not count, nor does a file that cannot be executed.
        try places.makeDirectory("bin/longhauld")
        try install(".local/libexec/longhaul/longhauld", mode: 0o644)
        let failure = #expect(throws: TransferFailure.self) { try locate() }
        #expect(failure?.message.contains(places.path(".local/libexec/longhaul")) ?? false)
        #expect(failure?.message.hasSuffix("or add its directory to PATH.") ?? false)
    }
}
