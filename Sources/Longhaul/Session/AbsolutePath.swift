#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Paths as the session keeps them: they must mean the same in another process.
enum AbsolutePath {
    /// The path from the root on; what is relative begins at this process's working directory.
    static func of(_ path: String) -> String {
        guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        let base = String(cString: directory)
        return path.isEmpty || path == "." ? base : base + "/" + path
    }

    /// What stands after the last slash.
    static func baseName(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
