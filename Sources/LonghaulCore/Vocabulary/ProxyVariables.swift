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

    /// Returns whether a proxy that is known here is used for the host.
    package func usesProxy(for scheme: String, to host: String) -> Bool {
        guard let proxy = proxy(for: scheme), !proxy.isEmpty else { return false }
        let host = host.lowercased()
        let exceptions = (proxyExceptions ?? "").lowercased().split { $0 == "," || $0 == " " }
        return !exceptions.contains { exception in
            let name = exception.first == "." ? exception.dropFirst() : exception
            return name == "*" || host == name || host.hasSuffix("." + name)
        }
    }
}
