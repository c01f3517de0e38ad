import CTestSupport
import Glibc

/// The CA of the tests, and the certificate of their servers on 127.0.0.1 and localhost. Both are created once in a
/// process, and the CA's key is not kept.
package struct Certificates: Sendable {
    /// As PEM.
    package let authority: String
    package let certificate: String
    package let key: String

    package static let shared: Certificates = {
        var made = test_certificates()
        guard test_make_certificates(&made) == 0, let authority = made.authority, let certificate = made.certificate,
            let key = made.key
        else { fatalError("no certificates could be made: is OpenSSL 3 there?") }
        defer { for text in [authority, certificate, key] { free(text) } }
        return Certificates(
            authority: String(cString: authority), certificate: String(cString: certificate), key: String(cString: key))
    }()

    /// Writes `ca.pem`, `cert.pem`, and `key.pem` for programs.
    package func write(to directory: TemporaryDirectory) throws {
        try directory.write(authority.utf8, to: "ca.pem")
        try directory.write(certificate.utf8, to: "cert.pem")
        try directory.write(key.utf8, to: "key.pem")
    }
}

/// The TLS context of a server.
final class TLSContext: @unchecked Sendable {
    // Safe: many threads may use an OpenSSL context after its setup, and this one never changes.
    let pointer: OpaquePointer

    init(speaksHTTP2: Bool, speaksHTTP1: Bool) {
        let certificates = Certificates.shared
        guard
            let made = test_tls_context(
                certificates.certificate, certificates.key, speaksHTTP2 ? 1 : 0, speaksHTTP1 ? 1 : 0)
        else {
            fatalError("OpenSSL does not take the certificate that it made")
        }
        pointer = made
    }

    deinit { test_tls_context_free(pointer) }
}
