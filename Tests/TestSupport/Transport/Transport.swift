/// What carries the exchanges of a test's server.
package enum Transport: String, CaseIterable, Sendable, CustomStringConvertible {
    case http1 = "HTTP/1.1"
    case secureHTTP1 = "HTTP/1.1 TLS"
    case http2 = "HTTP/2 TLS"

    /// The transport of new servers.
    @TaskLocal package static var current = Transport.http1

    package var isSecure: Bool { self != .http1 }

    package var scheme: String { isSecure ? "https" : "http" }

    package var description: String { rawValue }
}
