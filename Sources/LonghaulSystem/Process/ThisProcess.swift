import CLinux
import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What the system knows of this process.
package enum ThisProcess {
    package static var id: Int32 { getpid() }
    package static var user: UInt32 { getuid() }
    /// Whose rights it has for files.
    package static var effectiveUser: UInt32 { geteuid() }

    /// The machine's name; `nil` where it cannot be told.
    package static var hostName: String? {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Where relative paths begin; `nil` when that directory was removed.
    package static var directory: String? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// The path from the root on; what is relative begins at this process's directory. `nil` when that is not there.
    package static func absolute(_ path: String) -> String? {
        path.hasPrefix("/") ? path : directory.map { $0 + "/" + path }
    }

    /// A variable of the environment.
    package static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Programs that are started do not get the variable.
    package static func removeVariable(_ name: String) {
        unsetenv(name)
    }

    /// Ends the process at once: nothing is tidied up.
    package static func end(_ status: Int32) -> Never {
        _exit(status)
    }

    /// How many open files it may have now.
    package static var descriptorLimit: Int { Int(clamping: longhaul_descriptor_limit()) }

    /// Has the limit raised as far as it goes; programs that are started get the old one. Before there are threads. What is
    /// refused leaves the limit as it is.
    package static func raiseDescriptorLimit() {
        longhaul_raise_descriptor_limit()
    }

    /// Gives the kernel back what is not used: freed memory, and code until it is called again.
    package static func releaseMemory() {
        longhaul_release_memory()
    }

    /// Its memory in RAM, in bytes; 0 where that cannot be told.
    package static var residentBytes: Int64 {
        guard let text = Proc.text("/proc/self/statm") else { return 0 }
        let numbers = text.split(separator: " ")
        guard numbers.count > 1, let pages = Int64(numbers[1]) else { return 0 }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// What is taken from the permissions of new files. Asking `umask` would change it for a moment, for every thread.
    package static var creationMask: UInt32 {
        let lines = Proc.text("/proc/self/status")?.split(separator: "\n") ?? []
        let line = lines.first { $0.hasPrefix("Umask:") }
        return line.flatMap { UInt32($0.filter(\.isNumber), radix: 8) } ?? 0o022
    }

    /// The program that it runs; empty where that cannot be told.
    package static var program: String { Proc.link("/proc/self/exe") ?? "" }

    /// Where its program is, or was: a program that was replaced while it runs is called `/path (deleted)` by Linux, and what
    /// stands there now takes its place.
    package static var executable: String {
        let path = program
        let mark = " (deleted)"
        return path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
    }

    /// What the kernel calls its directory, also when that was removed.
    package static var formerDirectory: String? { Proc.link("/proc/self/cwd") }
}

/// What is the same for all processes of this machine.
package enum Machine {
    /// Which boot this is. Empty where the kernel does not tell: then every start counts as a new boot.
    package static var bootID: String {
        Proc.text("/proc/sys/kernel/random/boot_id").map { String($0.prefix { $0 != "\n" }) } ?? ""
    }
}

/// A person's entry in the system's list of users.
package struct UserAccount {
    package let name: String?
    package let home: String?

    /// `nil` for a user whom the list does not have.
    package init?(_ user: UInt32) {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        let names: (String?, String?)? = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { room in
            guard let start = room.baseAddress, getpwuid_r(user, &entry, start, room.count, &found) == 0, found != nil
            else { return nil }
            return (entry.pw_name.map { String(cString: $0) }, entry.pw_dir.map { String(cString: $0) })
        }
        guard let names else { return nil }
        (name, home) = names
    }
}

/// Linux's files about processes.
private enum Proc {
    static func text(_ path: String) -> String? {
        // What is not there tells nothing.
        guard let bytes = try? Descriptor(opening: path, .reading).readBeginning(limit: 4_096) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func link(_ path: String) -> String? {
        var name = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &name, name.count)
        return count > 0 ? String(decoding: name[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
}
