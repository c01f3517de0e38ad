#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What is done with directories.
package enum Directory {
    /// The names in a directory, in no order; none when it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Brings the names in a directory to stable storage.
    package static func sync(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            try Descriptor(opening: path, [.reading, .directory]).sync()
        } catch .invalid {
            // Some network file systems cannot sync a directory: there it is not needed.
            return
        }
    }

    /// The directory of a path: `.` for a name alone.
    package static func of(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes a directory, for its owner alone unless `permissions` say otherwise, and parents that are missing. One that is
    /// there is as good.
    package static func make(_ path: String, permissions: UInt32 = 0o700) throws(SystemError) {
        let error = attempt(path, permissions)
        guard let error, error != .exists else { return }
        guard error == .missing, path.dropFirst().contains("/") else { throw error }
        try make(of(path), permissions: permissions)
        if let error = attempt(path, permissions), error != .exists { throw error }
    }

    private static func attempt(_ path: String, _ permissions: UInt32) -> SystemError? {
        mkdir(path, mode_t(truncatingIfNeeded: permissions)) == 0 ? nil : SystemError(errno)
    }

    /// Fails when no directory can be made in this one. Permissions do not tell: it is tried.
    package static func tryMaking(in path: String) throws(SystemError) {
        var template = Array((path + "/.longhaul-doctor-XXXXXX").utf8CString)
        try checked { mkdtemp(&template) == nil ? -1 : 0 }
        rmdir(template)
    }
}
