package import LonghaulCore
import LonghaulSystem

/// Finds the `longhauld` that a client starts when none runs.
///
/// What stands beside the program that asks and in `PATH` is the person's own choice, and is taken as it is. Beyond these
/// it looks where the command `longhaul` is and where an installation puts it; there, a file is taken only when nobody
/// but the user and root could have put it there.
package struct ServiceProgram: Sendable {
    private let ownDirectory: String
    private let searchPath: [String]
    /// Where programs are installed.
    private let prefixes: [String]
    private static let name = "/longhauld"
    private static let libexec = "/libexec/longhaul"

    /// Reads `PATH` and `HOME` of `environment`; `ownProgram` is the absolute path of the program that asks.
    package init(
        environment: [String: String], ownProgram: String = ThisProcess.program,
        systemPrefixes: [String] = ["/usr/local", "/usr"]
    ) {
        ownDirectory = Self.directory(of: ownProgram)
        searchPath = (environment["PATH"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local" : nil }
        prefixes = [home].compactMap(\.self) + systemPrefixes
    }

    /// The absolute path of `longhauld`. Fails with `serviceUnavailable`, and says where it was looked for.
    package func locate() throws(TransferFailure) -> String {
        let chosen = ([ownDirectory, ownDirectory + "/.." + Self.libexec] + searchPath).map { $0 + Self.name }
        if let program = chosen.first(where: Self.isProgram) { return program }
        var refused: String?
        for program in (besideCommand + usualPlaces).map({ $0 + Self.name }) where Self.isProgram(program) {
            if Self.isTrusted(program), Self.isTrusted(Self.directory(of: program)) { return program }
            refused = refused ?? program
        }
        if let refused {
            throw TransferFailure(
                .serviceUnavailable,
                "Could not start \(refused): the program, or its directory, belongs to another user or is writable by others. "
                    + "Install longhauld with mode 755, or add its directory to PATH.")
        }
        let places = usualPlaces.joined(separator: ", ")
        throw TransferFailure(
            .serviceUnavailable,
            "longhauld is not installed: it is neither beside this program, nor in PATH, nor beside the program longhaul, "
                + "nor in \(places). Install it there, or add its directory to PATH.")
    }

    /// The directories that belong to the first `longhaul` in `PATH`, wherever a link leads.
    private var besideCommand: [String] {
        guard let command = searchPath.lazy.map({ $0 + "/longhaul" }).first(where: Self.isProgram),
            let resolved = Files.resolved(command)
        else { return [] }
        let directory = Self.directory(of: resolved)
        return [directory, directory + "/.." + Self.libexec]
    }

    private var usualPlaces: [String] { prefixes.map { $0 + Self.libexec } }

    private static func isProgram(_ path: String) -> Bool {
        Files.kind(path) == .regular && Files.allows(.execute, path)
    }

    /// Whether nobody but the user and root can have made it what it is.
    private static func isTrusted(_ path: String) -> Bool {
        // What cannot be looked at is not trusted.
        guard let status = try? FileStatus(of: path) else { return false }
        return (status.isOwn || status.owner == 0) && status.permissions & 0o022 == 0
    }

    private static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}
