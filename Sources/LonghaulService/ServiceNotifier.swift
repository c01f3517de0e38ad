import LonghaulCore
import LonghaulSystem

/// Reports the service's state to systemd (sd_notify(3)); without systemd it does nothing.
struct ServiceNotifier {
    /// How often the watchdog must be fed; `nil` without a watchdog.
    let watchdogInterval: Duration?
    private let socketPath: String?

    init(environment: [String: String]) {
        socketPath = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isForUs = environment["WATCHDOG_PID"].map { Int32($0) == ThisProcess.id } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        // Half of the time, so that one late turn does not kill the service.
        watchdogInterval = isForUs && microseconds > 0 && socketPath != nil ? .microseconds(microseconds / 2) : nil
    }

    func notify(_ lines: String...) {
        guard let socketPath else { return }
        // A path in the status may have line breaks.
        let lines = lines.filter(OutgoingText.isLine)
        // Lost if systemd is not running or its queue is full; nothing can be done about that here.
        UnixSocket.notify(socketPath, lines.joined(separator: "\n"))
    }
}
