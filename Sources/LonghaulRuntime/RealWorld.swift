import CLinux
package import LonghaulCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What is outside this process, apart from networks and files: the wall clock, chance, and which boot this is. The only
/// place where a session's loop gets them from, whoever runs it.
extension RuntimeEnvironment {
    package static func real(
        makeEngine: @escaping @Sendable (SessionLayout, @escaping EngineSink) throws(TransferFailure) -> any Engine
    ) -> RuntimeEnvironment {
        let chance = Chance()
        var environment = RuntimeEnvironment(
            now: realTime, random: { chance.draw() }, bootID: realBootID, makeEngine: makeEngine)
        environment.zone = realZone
        environment.room = .process
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

/// Random bits from the kernel, fetched many at once: each event takes some, and a system call for each is dear.
private final class Chance: Sendable {
    private let words = Mutex<[UInt64]>([])

    func draw() -> UInt64 {
        words.withLock { words in
            if words.isEmpty { words = Self.fetch(256) }
            return words.removeLast()
        }
    }

    private static func fetch(_ count: Int) -> [UInt64] {
        #if canImport(Glibc)
            var words = [UInt64](repeating: 0, count: count)
            let code = words.withUnsafeMutableBytes { longhaul_random($0.baseAddress, $0.count) }
            precondition(code == 0, "The kernel gives no random bits: error \(-code).")
            return words
        #else
            return (0..<count).map { _ in .random(in: .min ... .max) }
        #endif
    }
}
