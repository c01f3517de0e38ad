import LonghaulSystem

/// Tells systemd how the service is (sd_notify(3)); without systemd it says nothing.
struct ServiceNotifier {
    /// How often the watchdog must be fed; `nil` when there is none.
    let watchdogInterval: Duration?
    private let socketPath: String?

    init(environment: [String: String]) {
        socketPath = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isForUs = environment["WATCHDOG_PID"].map { Int32($0) == ThisProcess.id } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        // Half of the time: one late turn is not yet a reason to be killed.
        watchdogInterval = isForUs && microseconds > 0 && socketPath != nil ? .microseconds(microseconds / 2) : nil
    }

    func tell(_ lines: String...) {
        guard let socketPath else { return }
        // Lost when systemd is gone or its queue is full; then nothing can be done about it here.
        UnixSocket.notify(socketPath, lines.joined(separator: "\n"))
    }
}
