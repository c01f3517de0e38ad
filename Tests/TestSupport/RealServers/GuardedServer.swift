import Glibc
import LonghaulCore

/// A real Apache httpd that authenticates clients, over the transport of its test. `/digest/` and `/basic/` require
/// user ada with password s3cret, `/members/` requires the cookie that `/login` sets, and `/cert/` requires a
/// certificate of its CA. WebDAV accepts uploads below `/digest/`.
package final class GuardedServer: Sendable {
    /// Why it cannot be used here; `nil` if it can.
    package static var missing: String? { ApacheInstance.missing ?? Tools.missing("openssl", "/usr/bin/openssl") }

    private let instance: ApacheInstance
    /// The content of every file.
    package let content: String

    package init() throws {
        var name = ""
        instance = try ApacheInstance(Self.setup) { directory, transport, token in
            name = token
            if transport.isSecure { try Self.makeClientCertificate(in: directory) }
            for file in ["login", "digest/f", "basic/f", "members/f", "cert/f"] {
                try directory.write(token.utf8, to: "www/\(file)")
            }
            // The MD5 of ada:files:s3cret, and the crypt(3) hash of the password.
            try directory.write("ada:files:59c668bd8f9e8564fd757fe0576fdbe1\n".utf8, to: "digests")
            let crypt = try ProgramCall("/usr/bin/openssl", ["passwd", "-apr1", "-salt", "abcdefgh", "s3cret"]).run()
            try directory.write("ada:\(crypt.output)".utf8, to: "passwords")
        }
        content = name
    }

    deinit { instance.process.kill() }

    package func url(_ path: String) -> String { instance.url(path) }

    /// Returns the path of the client's certificate: `client.pem`, `client.key` (encrypted with "open sesame"), and `client.p12`, which
    /// has both.
    package func path(_ name: String) -> String { instance.directory.path(name) }

    package func uploaded(_ name: String) throws -> [UInt8] { try instance.directory.read("www/digest/\(name)") }

    /// Returns the digest of the server's public key for pinning.
    package func pin() throws -> String {
        let script =
            "openssl x509 -in cert.pem -noout -pubkey | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary"
        var call = ProgramCall("/bin/sh", ["-c", script + " | openssl base64"])
        call.directory = instance.directory.path
        return "sha256//" + String(try call.run().output.prefix { $0 != "\n" })
    }

    private static func makeClientCertificate(in directory: TemporaryDirectory) throws {
        let script = """
            set -e
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -passout 'pass:open sesame' -subj /CN=ada \
                -keyout client.key -out client.pem -days 2
            openssl pkcs12 -export -in client.pem -inkey client.key -passin 'pass:open sesame' -passout pass:p12 -out client.p12
            """
        var call = ProgramCall("/bin/sh", ["-c", script])
        call.directory = directory.path
        let result = try call.run()
        guard result.ending == .exited(0) else {
            throw TransferFailure(.fileFailed, "no client certificate was made: \(result.errorOutput)")
        }
    }

    private static let setup = ApacheInstance.Setup(
        folders: ["digest", "basic", "members", "cert"],
        modules: [
            "mpm_event", "authz_core", "authz_user", "authn_core", "authn_file", "auth_basic", "auth_digest", "dav",
            "dav_fs", "headers", "mime",
        ],
        secureLines: { directory in
            """
            SSLCACertificateFile \(directory)/client.pem
            SSLVerifyClient optional
            <Location /cert/>
                Require expr %{SSL_CLIENT_VERIFY} == 'SUCCESS'
            </Location>

            """
        },
        lines: { directory in
            """
            <Location /digest/>
                Dav On
                AuthType Digest
                AuthName files
                AuthDigestProvider file
                AuthUserFile \(directory)/digests
                Require valid-user
            </Location>
            <Location /basic/>
                AuthType Basic
                AuthName files
                AuthUserFile \(directory)/passwords
                Require valid-user
            </Location>
            <Location /login>
                Header set Set-Cookie "sid=42; Path=/; Max-Age=3600"
            </Location>
            <Location /members/>
                Require expr %{HTTP_COOKIE} =~ /sid=42/
            </Location>

            """
        })
}
