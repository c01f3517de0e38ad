import CLinux
package import LonghaulCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What is outside this process, apart from networks and files: the wall clock, chance, and which boot this is. The only
/// place where a session's loop gets them from, whoever runs it.
extension RuntimeEnvironment {
    package static func real(
        makeEngine: @escaping @Sendable (@escaping EngineSink) throws(TransferFailure) -> any Engine
    ) -> RuntimeEnvironment {
        var environment = RuntimeEnvironment(
            now: realTime, random: { .random(in: .min ... .max) }, bootID: realBootID, makeEngine: makeEngine)
        environment.zone = realZone
        environment.conditions = { TaskConditions(hasNetwork: longhaul_has_route() != 0) }
        return environment
    }

    /// The zone of the machine or of `TZ`, as it is now.
    package static let realZone = TimeZoneRules {
        Int(longhaul_zone_offset($0.seconds))
    }

    @Sendable package static func realTime() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    /// Empty where the kernel does not tell: then every start counts as a new boot.
    private static var realBootID: String {
        let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = read(file, &text, text.count)
        return String(decoding: text[..<max(0, count)].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
