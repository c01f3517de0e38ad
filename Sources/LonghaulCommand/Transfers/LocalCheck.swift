import LonghaulCore
import LonghaulSystem

/// Checks of what the user typed, before anything is sent to the service.
enum LocalCheck {
    static func url(_ text: String) throws(TransferFailure) -> TransferURL {
        // A list has many URLs, and the comparison of characters costs more than the rest.
        if text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) { return try TransferURL(parsing: text) }
        let text = String(text.trimming(\.isWhitespace))
        guard text.contains(" ") else { return try TransferURL(parsing: text) }
        if text.split(separator: " ").dropFirst().contains(where: { $0.contains("://") }) {
            throw TransferFailure(.invalidURL, tr("One argument contains several URLs. Quote each URL separately."))
        }
        // Browsers show and copy unescaped spaces.
        return try TransferURL(parsing: text.replacing(" ", with: "%20"))
    }

    static func header(_ name: String, _ value: String) throws(TransferFailure) -> HeaderField {
        if let failure = OutgoingText.fault(inHeader: name, value) { throw failure }
        return HeaderField(name, value)
    }

    static func method(_ text: String) throws(TransferFailure) -> String {
        guard OutgoingText.isMethod(text) else {
            throw .usage("A method must be in capital letters, such as PUT, not \"\(text)\".")
        }
        return text
    }

    /// Returns a proxy that libcurl can use; libcurl assumes HTTP if there is no scheme.
    static func proxy(_ text: String, _ world: World) throws(TransferFailure) -> String {
        // As a host, it would fail only when the transfer runs.
        if ["none", "direct", "off"].contains(text.lowercased()) {
            throw .usage("--proxy \(text) is not a proxy. To use no proxy, give an empty one: --proxy ''")
        }
        switch ProxySource(text) {
        case .system?: return text
        case .script(let place)?: return ProxySource.scriptPrefix + (try script(place, world))
        case nil: break
        }
        do throws(ProxyAddress.Fault) {
            _ = try ProxyAddress(parsing: text)
            return text
        } catch .scheme {
            throw .usage(
                "--proxy must be a URL with http, https, socks4, socks4a, socks5, or socks5h, or pac+ with a script, or system, not \"\(shown(text))\"."
            )
        } catch {
            throw .usage(
                "--proxy must be a host with a port, such as proxy.example:3128 or [::1]:3128, or a URL, not \"\(shown(text))\"."
            )
        }
    }

    /// Hides a user and a password.
    private static func shown(_ text: String) -> String {
        text.lastIndex(of: "@").map { "…" + text[$0...] } ?? text
    }

    /// Returns the URL of a proxy script, or the absolute path of a readable one.
    private static func script(_ place: String, _ world: World) throws(TransferFailure) -> String {
        if place.hasPrefix("http://") || place.hasPrefix("https://") { return try TransferURL(parsing: place).text }
        let path = world.absolute(place.hasPrefix("file://") ? String(place.dropFirst(7)) : place)
        try LocalPaths.checkReadable(path)
        return path
    }

    static func session(_ arguments: Arguments) throws(TransferFailure) -> SessionID {
        guard let text = arguments.value(.session) else { return .commandLine }
        guard let session = SessionID(text) else {
            throw .usage("A session must be letters, digits, '.', '-', and '_', not \"\(text)\".")
        }
        return session
    }
}
