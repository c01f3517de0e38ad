import LonghaulSystem

/// Paths as the session keeps them: they must mean the same in another process.
enum AbsolutePath {
    /// The path from the root on; what is relative begins at this process's working directory.
    static func of(_ path: String) -> String {
        // Without a directory that it begins at, the path means nothing anywhere.
        (path.isEmpty || path == "." ? ThisProcess.directory : ThisProcess.absolute(path)) ?? path
    }
}
