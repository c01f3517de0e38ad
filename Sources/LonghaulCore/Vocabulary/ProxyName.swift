/// The host in what names a proxy: `[scheme://][user:password@]host[:port][/]`, as curl reads it.
package enum ProxyName {
    /// `nil` if there is no host, or if the host is an address of IPv6.
    package static func host(_ proxy: String) -> String? {
        var rest = proxy[...]
        if let scheme = rest.utf8.indices.first(where: { rest[$0...].hasPrefix("://") }) {
            rest = rest[rest.utf8.index(scheme, offsetBy: 3)...]
        }
        rest = rest.prefix { $0 != "/" }
        if let login = rest.lastIndex(of: "@") { rest = rest[rest.index(after: login)...] }
        let host = rest.prefix { $0 != ":" }
        return host.isEmpty || host.hasPrefix("[") ? nil : String(host)
    }
}
