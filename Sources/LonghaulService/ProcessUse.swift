import CLinux
import Glibc
import LonghaulCore

/// What this process takes of the machine.
enum ProcessUse {
    /// What all its threads have used so far.
    static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Gives the kernel back what is not used: freed memory, and code until it is called again.
    static func releaseMemory() {
        longhaul_release_memory()
    }

    /// Its memory in RAM in bytes, from the second number of `/proc/self/statm`; 0 where that cannot be read.
    static var residentBytes: Int64 {
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
