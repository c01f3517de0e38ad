import LonghaulSystem

/// Paths as the session stores them: they must mean the same in another process.
enum AbsolutePath {
    /// Returns the absolute path. A relative path starts at this process's working directory.
    static func of(_ path: String) -> String {
        // If the working directory is unknown, the path stays relative.
        (path.isEmpty || path == "." ? ThisProcess.directory : ThisProcess.absolute(path)) ?? path
    }
}
