import LonghaulCore
import TestSupport
import Testing

extension Product {
    /// Runs `longhaul`, which must end well; its standard output without the last line end.
    @discardableResult
    func succeed(
        _ arguments: String..., limit: Duration = .patience, location: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let result = try await call("longhaul", arguments).run(limit: limit)
        #expect(
            result.ending == .exited(0), "longhaul \(arguments): \(result.errorOutput)", sourceLocation: location)
        return result.output.last == "\n" ? String(result.output.dropLast()) : result.output
    }

    /// Starts `longhaul` and stays with the test.
    func start(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(call("longhaul", arguments))
    }

    /// Returns the output of `show --json` for a transfer.
    func facts(_ id: String) async throws -> JSONText {
        JSONText(try await succeed("show", "--json", id))
    }

    /// Every transfer as `list` has it.
    func list(_ arguments: String...) async throws -> [JSONText] {
        let result = try await call("longhaul", ["list", "--json"] + arguments).run()
        return result.output.split(separator: "\n").map { JSONText(String($0)) }
    }

    /// Returns when a transfer in `watch` matches the condition.
    @discardableResult
    func wait(for id: String, _ what: String, until fits: @escaping @Sendable (JSONText) -> Bool) async throws
        -> JSONText
    {
        let watch = try start("watch", "--json", id)
        return try await watch.waitForOutput(for: what) { output in
            output.split(separator: "\n").lazy.map { JSONText(String($0)) }.first(where: fits)
        }
    }

    /// Waits until a killed service would resume a download: a record with validators is in the store, and `bytes` of
    /// its partial file are written. Neither implies the other: the service writes the two on different threads.
    func waitUntilResumable(_ id: String, in directory: String = "work", bytes: Int = 1) async throws {
        try await wait(for: id, "a known version") { $0["phase"] == "receiving" }
        try await home.waitForBytes(of: "\(directory)/\(PartialName.make(#require(TransferID(id))))", count: bytes)
    }

    /// Returns when a transfer has that state.
    @discardableResult
    func wait(for id: String, state: String) async throws -> JSONText {
        try await wait(for: id, state) { $0["state"] == state }
    }

    /// The names in the working directory of the commands, once no transfer has anything left to delete there.
    var workNames: [String] {
        get async throws { try await home.settledNames("work") }
    }

    /// The directory of a session.
    func sessionPath(_ name: String = "longhaul.command-line") -> String { "state/longhaul/sessions/\(name)" }
}

extension ProgramCall.Result {
    var exitStatus: Int32? { if case .exited(let status) = ending { status } else { nil } }
}
