import CPlatform
import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Properties of this process.
package enum ThisProcess {
    package static var id: Int32 { getpid() }
    package static var user: UInt32 { getuid() }
    /// The user whose rights apply to files.
    package static var effectiveUser: UInt32 { geteuid() }

    /// The machine's host name; `nil` if unknown.
    package static var hostName: String? {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return nil }
        return text(name)
    }

    /// The working directory; `nil` if it was removed, or if its path is not UTF-8.
    package static var directory: String? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return String(validatingCString: path)
    }

    /// Returns the absolute path, relative to the working directory; `nil` if that directory is unknown.
    package static func absolute(_ path: String) -> String? {
        path.hasPrefix("/") ? path : directory.map { $0 + "/" + path }
    }

    /// Returns an environment variable.
    package static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Removes an environment variable, so that child processes do not inherit it.
    package static func removeVariable(_ name: String) {
        unsetenv(name)
    }

    /// Ends the process at once, without cleanup.
    package static func end(_ status: Int32) -> Never {
        _exit(status)
    }

    /// The current limit of open files.
    package static var descriptorLimit: Int { Int(clamping: longhaul_descriptor_limit()) }

    /// Whether the process has a limit of file sizes.
    package static var limitsFileSizes: Bool { longhaul_limits_file_sizes() != 0 }

    /// Returns unused memory to the kernel: freed memory, and code until it is called again.
    package static func releaseMemory() {
        longhaul_release_memory()
    }

    /// The umask.
    package static var creationMask: UInt32 {
        #if os(Linux)
            // Calling `umask` would change it for a moment, for every thread.
            let lines = Proc.text("/proc/self/status")?.split(separator: "\n") ?? []
            let line = lines.first { $0.hasPrefix("Umask:") }
            return line.flatMap { UInt32($0.filter(\.isNumber), radix: 8) } ?? 0o022
        #else
            // Darwin has no other way to read it. A file that another thread creates at this moment is private.
            let mask = umask(0o077)
            umask(mask)
            return UInt32(mask)
        #endif
    }

    /// The path of the running program; empty if unknown.
    package static var program: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        return longhaul_program(&path, path.count) == 0 ? text(path) : ""
    }

    /// The path of the program's file, or its former path: Linux shows a program that was replaced while running as
    /// `/path (deleted)`, and this is the path of the new file.
    package static var executable: String {
        let path = program
        let mark = " (deleted)"
        return path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
    }
}

#if os(Linux)
    // For the service and its command.
    extension ThisProcess {
        /// Ends the process with the usual cleanup.
        package static func exit(_ status: Int32) -> Never {
            Glibc.exit(status)
        }

        /// Opens each standard stream that is closed: the next file that is opened would get its number.
        package static func openStandardStreams() {
            for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
                _ = open("/dev/null", O_RDWR)
            }
        }

        /// Lets a write to a pipe without a reader fail instead of ending the process.
        package static func ignoreBrokenPipes() {
            signal(SIGPIPE, SIG_IGN)
        }

        /// Raises the limit of open files as far as possible. Child processes get the old limit. Call it before any thread
        /// starts. If the system refuses, the limit stays as it is.
        package static func raiseDescriptorLimit() {
            longhaul_raise_descriptor_limit()
        }

        /// The resident memory in bytes; 0 if unknown.
        package static var residentBytes: Int64 {
            guard let text = Proc.text("/proc/self/statm") else { return 0 }
            let numbers = text.split(separator: " ")
            guard numbers.count > 1, let pages = Int64(numbers[1]) else { return 0 }
            return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
        }

        /// The kernel's path of the working directory, even after it was removed; `nil` if it is not UTF-8.
        package static var formerDirectory: String? { Proc.link("/proc/self/cwd") }
    }
#endif

/// Properties of this machine.
package enum Machine {
    /// The ID of this boot. Empty if the kernel does not report it; then every start counts as a new boot.
    package static var bootID: String {
        var id = [CChar](repeating: 0, count: 64)
        return longhaul_boot_id(&id, id.count) == 0 ? text(id) : ""
    }
}

/// Returns the text before the first zero.
private func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// A user's entry in the passwd database.
package struct UserAccount {
    package let name: String?
    /// `nil` if there is none, or if its path is not UTF-8.
    package let home: String?

    /// Returns `nil` if the database has no such user.
    package init?(_ user: UInt32) {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        let names: (String?, String?)? = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { room in
            guard let start = room.baseAddress, getpwuid_r(user, &entry, start, room.count, &found) == 0, found != nil
            else { return nil }
            return (entry.pw_name.map { String(cString: $0) }, entry.pw_dir.flatMap { String(validatingCString: $0) })
        }
        guard let names else { return nil }
        (name, home) = names
    }
}

#if os(Linux)
    /// Linux's files about processes.
    private enum Proc {
        static func text(_ path: String) -> String? {
            // A missing file is not an error: there is nothing to read.
            guard let bytes = try? Descriptor(opening: path, .reading).readBeginning(limit: 4_096) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }

        static func link(_ path: String) -> String? {
            var name = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(path, &name, name.count)
            return count > 0 ? String(validating: name[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
        }
    }
#endif
