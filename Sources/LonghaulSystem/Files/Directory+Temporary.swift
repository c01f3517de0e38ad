import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension Directory {
    /// Makes a new directory for this user alone where temporary files are; its name begins with this.
    package static func makeTemporary(named beginning: String) throws(SystemError) -> String {
        let parent = ThisProcess.variable("TMPDIR") ?? "/tmp"
        var template = Array("\(parent)/\(beginning)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(errno) }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Deletes a directory with everything in it, as far as that can be done.
    package static func discard(_ path: String) {
        for name in names(in: path) {
            let entry = path + "/" + name
            // What cannot be looked at cannot be entered either.
            if (try? FileStatus(of: entry, followsLinks: false))?.kind == .directory {
                discard(entry)
            } else {
                Files.discard(entry)
            }
        }
        rmdir(path)
    }
}
