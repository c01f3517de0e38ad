import Glibc
package import LonghaulCore

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
        environment: [String: String], ownProgram: String = Self.runningProgram,
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
                "\(refused) is not started: it, or its directory, belongs to another user or can be written by others. "
                    + "Install longhauld with mode 755, or put its directory into PATH.")
        }
        let places = usualPlaces.joined(separator: ", ")
        throw TransferFailure(
            .serviceUnavailable,
            "longhauld is not installed: it is neither beside this program, nor in PATH, nor with the command longhaul, "
                + "nor in \(places). Install it in one of these, or put its directory into PATH.")
    }

    /// The directories that belong to the first `longhaul` in `PATH`, wherever a link leads.
    private var besideCommand: [String] {
        guard let command = searchPath.lazy.map({ $0 + "/longhaul" }).first(where: Self.isProgram),
            let resolved = realpath(command, nil)
        else { return [] }
        defer { free(resolved) }
        let directory = Self.directory(of: String(cString: resolved))
        return [directory, directory + "/.." + Self.libexec]
    }

    private var usualPlaces: [String] { prefixes.map { $0 + Self.libexec } }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// Whether nobody but the user and root can have made it what it is.
    private static func isTrusted(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return (status.st_uid == getuid() || status.st_uid == 0) && status.st_mode & (S_IWGRP | S_IWOTH) == 0
    }

    private static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    /// The program that this process runs.
    package static var runningProgram: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        return count > 0 ? String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
    }
}
