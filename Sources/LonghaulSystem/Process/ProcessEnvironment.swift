import CPlatform

/// The environment that this process was started with.
package enum ProcessEnvironment {
    package static var current: [String: String] {
        var values: [String: String] = [:]
        guard var entry = longhaul_environment() else { return values }
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
            entry = entry.successor()
        }
        return values
    }

    /// The variables that systemd sets only for a service.
    package static let supervision = [
        "NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID", "WATCHDOG_USEC",
    ]
}
