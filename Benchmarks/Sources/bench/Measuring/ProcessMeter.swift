import Foundation
import Glibc

/// Reads the resources that a running process has used so far.
struct ProcessMeter {
    let pid: pid_t

    /// Seconds of processor time so far, of all its threads, including those that have ended.
    var cpu: Double {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return 0 }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Bytes in memory now.
    var resident: Double { status("VmRSS") }
    /// Bytes in memory at the highest since `forgetPeak`.
    var peak: Double { status("VmHWM") }

    func forgetPeak() {
        try? "5".write(toFile: "/proc/\(pid)/clear_refs", atomically: false, encoding: .utf8)
    }

    private func status(_ name: String) -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
            return (Double(line.split(whereSeparator: \.isWhitespace)[1]) ?? 0) * 1024
        }
        return 0
    }
}
