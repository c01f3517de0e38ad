import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension Directory {
    /// Creates a private directory for temporary files, whose name has this prefix.
    package static func makeTemporary(named beginning: String) throws(SystemError) -> String {
        let parent = ThisProcess.variable("TMPDIR") ?? "/tmp"
        var template = Array("\(parent)/\(beginning)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(errno) }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Deletes a directory with its contents, as far as possible.
    package static func discard(_ path: String) {
        for name in names(in: path) {
            let entry = path + "/" + name
            // An entry that cannot be inspected cannot be entered either.
            if (try? FileStatus(of: entry, followsLinks: false))?.kind == .directory {
                discard(entry)
            } else {
                Files.discard(entry)
            }
        }
        rmdir(path)
    }
}
