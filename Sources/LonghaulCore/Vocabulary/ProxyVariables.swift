/// The proxy variables in the environment of the submitting process, read like curl does. They may contain passwords.
package struct ProxyVariables: Equatable, Sendable {
    /// For `http`; empty for none.
    package var http: String
    /// For `https`; empty for none.
    package var https: String
    /// Hosts that are reached without a proxy.
    package var exceptions: String

    package init(http: String = "", https: String = "", exceptions: String = "") {
        self.http = http
        self.https = https
        self.exceptions = exceptions
    }

    /// An empty variable counts as absent. `HTTP_PROXY` is not read, because web servers set it from a request header that any
    /// client may send.
    package init(environment: [String: String]) {
        func first(_ names: String...) -> String {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        }
        http = first("http_proxy", "all_proxy", "ALL_PROXY")
        https = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        exceptions = first("no_proxy", "NO_PROXY")
    }
}

extension NetworkOptions {
    /// Returns the proxy for this scheme, empty for none; `nil` to use the environment of the process that transfers the bytes.
    package func proxy(for scheme: String) -> String? {
        proxy ?? variables.map { scheme == "https" ? $0.https : $0.http }
    }

    /// The hosts that are reached without a proxy; `nil` to use that environment.
    package var proxyExceptions: String? { noProxy ?? variables?.exceptions }

    /// Returns the proxy that leads to the server, if it is known here; `nil` for none.
    package func proxyInUse(for url: TransferURL) throws(TransferFailure) -> ProxyAddress? {
        guard let text = proxy(for: url.scheme), !text.isEmpty, !isExcepted(url.host) else { return nil }
        do throws(ProxyAddress.Fault) {
            return try ProxyAddress(parsing: text)
        } catch {
            throw error.failure(of: text)
        }
    }

    /// Returns whether the host is reached without a proxy, by the rules of libcurl.
    private func isExcepted(_ host: String) -> Bool {
        let host = Self.bare(host.lowercased())
        let exceptions = (proxyExceptions ?? "").lowercased().split { $0 == "," || $0 == " " }
        // In a list, libcurl compares it as a name.
        if exceptions == ["*"] { return true }
        return exceptions.contains { exception in
            if let block = AddressBlock(exception) { return block.contains(host) }
            let name = Self.bare(exception.first == "." ? exception.dropFirst() : exception)
            return host == name || host.hasSuffix("." + name)
        }
    }

    /// Returns an IPv6 address without its brackets.
    private static func bare(_ host: some StringProtocol) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
    }
}

/// IPv4 addresses with a common prefix: `10.0.0.0/8`.
private struct AddressBlock {
    private let prefix: UInt32
    private let mask: UInt32

    init?(_ text: Substring) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = Self.address(parts[0]), let bits = Int(parts[1]), (1...32).contains(bits)
        else { return nil }
        mask = ~UInt32(0) << UInt32(32 - bits)
        prefix = address & mask
    }

    func contains(_ host: String) -> Bool { Self.address(host[...]).map { $0 & mask == prefix } ?? false }

    private static func address(_ text: Substring) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard parts.count == 4 else { return nil }
        return parts.reduce(UInt32?(0)) { address, part in
            guard let address, let part else { return nil }
            return address << 8 | UInt32(part)
        }
    }
}
