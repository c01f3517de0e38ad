import Glibc
import LonghaulCore
import LonghaulCurl
import LonghaulRuntime

/// The real world, as the sessions of this service see it. The only place where the wall clock is read and chance is drawn.
enum ServiceEnvironment {
    static func real() -> RuntimeEnvironment {
        RuntimeEnvironment(
            now: now, random: { .random(in: .min ... .max) }, bootID: bootID
        ) { sink throws(TransferFailure) in
            try CurlEngine(sink: sink)
        }
    }

    @Sendable static func now() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    /// Empty where the kernel does not tell: then every start counts as a new boot.
    private static var bootID: String {
        let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = read(file, &text, text.count)
        return String(decoding: text[..<max(0, count)].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
