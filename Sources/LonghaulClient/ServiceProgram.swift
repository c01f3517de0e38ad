package import LonghaulCore
import LonghaulSystem

/// Finds the `longhauld` that a client starts if none is running.
///
/// Programs beside the calling program and in `PATH` are the user's choice, and are used unchecked. After these, it
/// searches the directories of the command `longhaul` and of an installation. A file there is used only if no one
/// except the user and root could have created it.
package struct ServiceProgram: Sendable {
    private let ownDirectory: String
    private let searchPath: [String]
    /// Prefixes under which programs are installed.
    private let prefixes: [String]
    private static let name = "/longhauld"
    private static let libexec = "/libexec/longhaul"

    /// Reads `PATH` and `HOME` of `environment`; `ownProgram` is the absolute path of the calling program.
    package init(
        environment: [String: String], ownProgram: String = ThisProcess.program,
        systemPrefixes: [String] = ["/usr/local", "/usr"]
    ) {
        ownDirectory = Self.directory(of: ownProgram)
        searchPath = (environment["PATH"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local" : nil }
        prefixes = [home].compactMap(\.self) + systemPrefixes
    }

    /// Returns the absolute path of `longhauld`. Fails with `serviceUnavailable`, and lists the directories that were searched.
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

    /// The directories of the first `longhaul` in `PATH`, after following links.
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

    /// Returns whether only the user and root can modify the file.
    private static func isTrusted(_ path: String) -> Bool {
        // A file that cannot be inspected is not trusted.
        guard let status = try? FileStatus(of: path) else { return false }
        return (status.isOwn || status.owner == 0) && status.permissions & 0o022 == 0
    }

    private static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}
