#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Operations on directories.
package enum Directory {
    /// Returns the names in a directory, in any order; none if it cannot be read.
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

    /// Syncs the names in a directory to stable storage. Returns the error if the sync is refused, as for a directory
    /// that is writable but not readable.
    @discardableResult
    package static func sync(_ path: String) throws(SystemError) -> SystemError? { try opened(path).sync() }

    /// A directory that is about to be synced.
    package struct Opened {
        private let descriptor: Descriptor?
        private let refused: SystemError?

        fileprivate init(_ path: String) throws(SystemError) {
            var descriptor: Descriptor?
            refused = try refusal { () throws(SystemError) in
                descriptor = try Descriptor(opening: path, [.reading, .directory])
            }
            self.descriptor = descriptor
        }

        /// Syncs its names. Returns the error if the sync is refused.
        package func sync() throws(SystemError) -> SystemError? {
            guard let descriptor else { return refused }
            return try descriptor.sync()
        }
    }

    package static func opened(_ path: String) throws(SystemError) -> Opened { try Opened(path) }

    /// Returns the directory of a path; `.` for a bare name.
    package static func of(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates a directory and missing parents, accessible only to its owner unless `permissions` say otherwise. An
    /// existing directory is not an error.
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

    /// Fails if no directory can be created in this one. Permissions alone do not show that, so this tries it.
    package static func tryMaking(in path: String) throws(SystemError) {
        rmdir(try makeTemporary(in: path))
    }

    /// Fails with the error that a file with this name or length would cause in the directory. Only an attempt shows
    /// which names a file system accepts. The attempt uses a hidden directory, so a crash leaves no file with the name
    /// itself.
    package static func tryFile(named name: String, length: Int64? = nil, in path: String) throws(SystemError) {
        // Linux file systems accept every name that `SafeFileName` makes, and an unnamed file shows their length limit.
        // A list may name thousands of files, and each full attempt costs more than half a millisecond.
        if (try? Descriptor(opening: path, [.reading, .directory]))?.reportsEachChange ?? false {
            guard let length, let file = try? Descriptor.unnamed(in: path, permissions: 0o600) else { return }
            return try file.checkLimit(length)
        }
        // If the directory cannot be created, nothing is tried, so there is no error.
        guard let place = try? makeTemporary(in: path) else { return }
        defer { rmdir(place) }
        let target = place + "/" + name
        let file = try Descriptor(opening: target, [.writing, .new])
        defer { unlink(target) }
        if let length { try file.checkLimit(length) }
    }

    private static func makeTemporary(in path: String) throws(SystemError) -> String {
        var template = Array((path + "/.longhaul-test-XXXXXX").utf8CString)
        try checked { mkdtemp(&template) == nil ? -1 : 0 }
        return String(decoding: template.dropLast().lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
