import CPlatform
package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The environment that this process was started with.
package enum ProcessEnvironment {
    /// The variables. Bytes that are not UTF-8 are replaced, so such a value names another file (`checkPath`).
    package static var current: [String: String] {
        var values: [String: String] = [:]
        forEach { name, value in values[name] = String(cString: value) }
        return values
    }

    /// The variables of `current` whose values are not UTF-8.
    package static var repaired: [String: String] {
        var values: [String: String] = [:]
        forEach { name, value in
            if String(validatingCString: value) == nil { values[name] = String(cString: value) }
        }
        return values
    }

    /// Fails if a variable that holds a path had to be repaired: the path is another one.
    package static func checkPath(
        _ name: String, in environment: [String: String], repaired: [String: String] = ProcessEnvironment.repaired
    ) throws(TransferFailure) {
        guard let value = repaired[name], environment[name] == value else { return }
        throw TransferFailure(
            .invalidArgument, "The path in the variable \(name) is not UTF-8. Set \(name) to a path in UTF-8.")
    }

    private static func forEach(_ body: (_ name: String, _ value: UnsafePointer<CChar>) -> Void) {
        guard var entry = longhaul_environment() else { return }
        while let text = entry.pointee {
            let name = UnsafeBufferPointer(start: text, count: strlen(text)).prefix { $0 != CChar(UInt8(ascii: "=")) }
            // An entry without a value is no variable.
            if text[name.count] != 0 {
                body(String(decoding: name.map(UInt8.init(bitPattern:)), as: UTF8.self), text + name.count + 1)
            }
            entry = entry.successor()
        }
    }

    /// The variables that systemd sets only for a service.
    package static let supervision = [
        "NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID", "WATCHDOG_USEC",
    ]
}
