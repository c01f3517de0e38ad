import Glibc
import LonghaulCore

/// A real Apache httpd that wants to know who asks, over the transport of its test: `/digest/` and `/basic/` are for ada, whose
/// password is s3cret, `/members/` for whoever has the cookie that `/login` gives, and `/cert/` for who shows a certificate of its authority.
/// WebDAV takes uploads below `/digest/`.
package final class GuardedServer: Sendable {
    /// Why it cannot be used here; `nil` when it can.
    package static var missing: String? { Apache.missing ?? Tools.missing("openssl", "/usr/bin/openssl") }

    private let directory: TemporaryDirectory
    private let process: ServerProcess
    private let transport: Transport

    package init() throws {
        let directory = try TemporaryDirectory()
        let transport = Transport.current
        if transport.isSecure {
            try Certificates.shared.write(to: directory)
            chmod(directory.path("key.pem"), 0o644)
            try Self.makeClientCertificate(in: directory)
        }
        for name in ["www", "www/digest", "www/basic", "www/members", "www/cert", "state"] {
            try directory.makeDirectory(name)
            chmod(directory.path(name), 0o777)
        }
        chmod(directory.path, 0o755)
        let token = directory.path.split(separator: "-").last.map(String.init) ?? ""
        for name in ["ready", "login", "digest/f", "basic/f", "members/f", "cert/f"] {
            try directory.write(token.utf8, to: "www/\(name)")
        }
        // The MD5 of ada:files:s3cret, and the password as crypt(3) has it.
        try directory.write("ada:files:59c668bd8f9e8564fd757fe0576fdbe1\n".utf8, to: "digests")
        let crypt = try ProgramCall("/usr/bin/openssl", ["passwd", "-apr1", "-salt", "abcdefgh", "s3cret"]).run()
        try directory.write("ada:\(crypt.output)".utf8, to: "passwords")
        self.directory = directory
        self.transport = transport
        content = token
        process = try ServerProcess.start(answering: "/ready", with: token, directory) { port in
            try directory.write(Self.configuration(directory.path, port, transport).utf8, to: "httpd.conf")
            return Apache.call(["-X", "-f", directory.path("httpd.conf")])
        }
    }

    deinit { process.kill() }

    /// What every file has.
    package let content: String

    package func url(_ path: String) -> String { "\(transport.scheme)://127.0.0.1:\(process.port)\(path)" }

    /// Of the client's certificate: `client.pem`, `client.key` (encrypted with "open sesame"), and `client.p12`, which has both.
    package func path(_ name: String) -> String { directory.path(name) }

    package func uploaded(_ name: String) throws -> [UInt8] { try directory.read("www/digest/\(name)") }

    /// The digest of the server's public key, as it is pinned.
    package func pin() throws -> String {
        let script =
            "openssl x509 -in cert.pem -noout -pubkey | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary"
        var call = ProgramCall("/bin/sh", ["-c", script + " | openssl base64"])
        call.directory = directory.path
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

    private static func configuration(_ directory: String, _ port: Int, _ transport: Transport) -> String {
        var modules = [
            "mpm_event", "authz_core", "authz_user", "authn_core", "authn_file", "auth_basic", "auth_digest", "dav",
            "dav_fs", "headers", "mime",
        ]
        if transport.isSecure { modules += ["ssl", "http2"] }
        let loading = modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
        let encryption = """
            SSLEngine on
            SSLCertificateFile \(directory)/cert.pem
            SSLCertificateKeyFile \(directory)/key.pem
            SSLCACertificateFile \(directory)/client.pem
            SSLVerifyClient optional
            Protocols \(transport == .http2 ? "h2" : "http/1.1")
            <Location /cert/>
                Require expr %{SSL_CLIENT_VERIFY} == 'SUCCESS'
            </Location>

            """
        return loading.joined(separator: "\n") + "\n" + (transport.isSecure ? encryption : "") + """
            ServerRoot \(directory)
            ServerName 127.0.0.1
            Listen 127.0.0.1:\(port)
            PidFile \(directory)/state/pid
            DefaultRuntimeDir \(directory)/state
            ErrorLog \(directory)/state/errors
            TypesConfig /etc/mime.types
            DocumentRoot \(directory)/www
            DavLockDB \(directory)/state/DavLock
            <Directory \(directory)/www>
                Require all granted
            </Directory>
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
    }
}
