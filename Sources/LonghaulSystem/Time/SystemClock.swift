import CPlatform
package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The clocks of this machine. Waits for stored dates follow the wall clock, all others the monotonic clock.
package enum SystemClock {
    @Sendable package static func wallTime() -> WallTime {
        let time = read(CLOCK_REALTIME)
        return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    /// Returns nanoseconds since an unspecified start. The clock stops while the machine sleeps.
    package static func monotonic() -> Int64 {
        #if canImport(Darwin)
            // There, CLOCK_MONOTONIC continues during sleep.
            let time = read(CLOCK_UPTIME_RAW)
        #else
            let time = read(CLOCK_MONOTONIC)
        #endif
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Returns the time since the machine was booted. Unlike `monotonic`, the clock continues while the machine sleeps.
    @Sendable package static func sinceBoot() -> Duration {
        #if canImport(Darwin)
            let time = read(CLOCK_MONOTONIC_RAW)
        #else
            let time = read(CLOCK_BOOTTIME)
        #endif
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Returns the CPU time of all threads of this process.
    package static func processorTime() -> Duration {
        let time = read(CLOCK_PROCESS_CPUTIME_ID)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The current time zone of the machine or of `TZ`.
    package static let zone = TimeZoneRules { Int(longhaul_zone_offset($0.seconds)) }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        let code = clock_gettime(clock, &time)
        precondition(code == 0, "these clocks are always there")
        return time
    }
}
