import Glibc

/// How much memory this process has in RAM.
enum ResidentMemory {
    /// In bytes, from the second number of `/proc/self/statm`; 0 where that cannot be read.
    static var bytes: Int64 {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = read(file, &text, text.count)
        guard count > 0 else { return 0 }
        let numbers = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
        guard numbers.count > 1, let pages = Int64(numbers[1]) else { return 0 }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
