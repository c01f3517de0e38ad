/// The proxy settings of GNOME (`org.gnome.system.proxy`), which other Linux desktops write too.
package enum DesktopProxy: Equatable, Sendable {
    case none
    /// By scheme, with the hosts that need no proxy.
    case named(http: String, https: String, exceptions: String)
    /// A script at this URL.
    case script(String)

    /// Parses the output of `gsettings list-recursively org.gnome.system.proxy`; `nil` if it has no mode.
    package init?(settings: String) {
        var values: [String: String] = [:]
        for line in settings.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            guard words.count == 3, words[0].hasPrefix(Self.schema) else { continue }
            values[words[0].dropFirst(Self.schema.count) + "/" + words[1]] = words[2]
        }
        func text(_ name: String) -> String { Self.unquoted(values[name] ?? "") }
        func address(_ kind: String, _ scheme: String) -> String? {
            let (host, port) = (text(".\(kind)/host"), text(".\(kind)/port"))
            guard !host.isEmpty, port != "0", !port.isEmpty else { return nil }
            let name = text(".http/authentication-user")
            let isNamed = kind == "http" && text(".http/use-authentication") == "true" && !name.isEmpty
            let login =
                isNamed
                ? PercentCoding.segment(name) + ":" + PercentCoding.segment(text(".http/authentication-password")) + "@"
                : ""
            return "\(scheme)://\(login)\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }
        switch text("/mode") {
        case "none": self = .none
        case "auto": self = .script(text("/autoconfig-url"))
        case "manual":
            let rest = address("socks", "socks5h") ?? ""
            let http = address("http", "http") ?? rest
            self = .named(
                http: http, https: address("https", "http") ?? (rest.isEmpty ? http : rest),
                exceptions: Self.list(values["/ignore-hosts"] ?? "").joined(separator: ","))
        default: return nil
        }
    }

    private static let schema = "org.gnome.system.proxy"

    /// Returns the text of a GVariant string.
    private static func unquoted(_ text: String) -> String {
        guard let quote = text.first, quote == "'" || quote == "\"", text.count > 1, text.last == quote else {
            return text
        }
        var (result, isEscaped) = ("", false)
        for character in text.dropFirst().dropLast() {
            if !isEscaped, character == "\\" {
                isEscaped = true
            } else {
                result.append(character)
                isEscaped = false
            }
        }
        return result
    }

    /// Returns the entries of a list that libcurl understands: a star before the end of a name is the same as none.
    private static func list(_ text: String) -> [String] {
        guard text.first == "[", text.last == "]" else { return [] }
        return text.dropFirst().dropLast().split(separator: ",").map { entry in
            let name = unquoted(String(entry.drop { $0 == " " }))
            return name.hasPrefix("*.") ? String(name.dropFirst()) : name
        }.filter { !$0.isEmpty }
    }
}
