extension WakeRegistration {
    /// Why it is invalid; `nil` if it is valid. Whether the app is installed shows when it is launched.
    package var refusal: TransferFailure? {
        if let sentence = method.fault ?? backoff.fault { return TransferFailure(.invalidArgument, sentence) }
        return nil
    }
}

extension WakeMethod {
    /// The maximum length of a command with its arguments, in bytes.
    private static let commandLimit = 32 << 10

    fileprivate var fault: String? {
        switch self {
        case .dbus(let appID, let action):
            if !Self.isBusName(appID) {
                return "\"\(appID)\" is not a D-Bus application name. Use a name such as org.example.Photos."
            }
            return Self.isActionName(action)
                ? nil : "\"\(action)\" is not an action name. Use letters, digits, dots, and hyphens."
        case .systemdUnit(let name):
            return Self.isServiceUnit(name)
                ? nil
                : "\"\(name)\" is not the name of a service unit. Use a name such as photos-wake.service or photos-wake@.service."
        case .command(let arguments):
            guard let program = arguments.first, program.utf8.first == UInt8(ascii: "/") else {
                return "The command that starts an app must begin with the absolute path of its program."
            }
            if !arguments.allSatisfy(OutgoingText.isCString) {
                return "The command that starts an app must not contain a NUL character."
            }
            let length = arguments.reduce(0) { $0 + $1.utf8.count + 1 }
            return length <= Self.commandLimit ? nil : "The command that starts an app must have at most 32 KiB."
        }
    }

    /// D-Bus Specification, "Valid Names": two elements or more, none of which begins with a digit.
    private static func isBusName(_ name: String) -> Bool {
        let elements = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard name.utf8.count <= 255, elements.count >= 2 else { return false }
        return elements.allSatisfy { element in
            guard let first = element.first, !first.isASCIIDigit else { return false }
            return element.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: "-") }
        }
    }

    /// GLib's `g_action_name_is_valid`.
    private static func isActionName(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            }
    }

    /// systemd.unit(5); the limit leaves space for an instance named after a session.
    private static func isServiceUnit(_ name: String) -> Bool {
        let bytes = name.utf8
        guard name.hasSuffix(".service"), bytes.count <= 120 else { return false }
        let stem = bytes.dropLast(8)
        let signs = stem.filter { $0 == UInt8(ascii: "@") }.count
        let allowed = stem.allSatisfy { byte in
            isWordByte(byte)
                || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "@")].contains(byte)
        }
        return allowed && signs <= 1 && !stem.isEmpty && stem.first != UInt8(ascii: "@")
    }

    private static func isWordByte(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || byte == UInt8(ascii: "_") }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        byte.isASCIIDigit || byte.isASCIILetter
    }
}

extension WakeBackoff {
    fileprivate var fault: String? {
        let isFine = first >= .milliseconds(100) && longest >= first && longest <= .seconds(604_800)
        return isFine
            ? nil
            : "The time between two starts of an app must be from 0.1 s to 7 days, with the longest not shorter than the others."
    }
}
