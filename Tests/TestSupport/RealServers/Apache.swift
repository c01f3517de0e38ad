import Glibc
import LonghaulCore

/// A real Apache httpd, over the transport of its test: downloads from `/`, WebDAV with preconditions at `/dav/`, and `/deflate/`, which compresses
/// even ranges.
package final class Apache: Sendable {
    /// Why it cannot be used here; `nil` when it can.
    package static var missing: String? {
        Tools.missing("apache2", program) ?? (Tools.isRoot ? Tools.missing("setpriv", stepDown) : nil)
    }

    private static let program = "/usr/sbin/apache2"
    private static let stepDown = "/usr/bin/setpriv"
    private let directory: TemporaryDirectory
    private let process: ServerProcess
    private let transport: Transport

    package init() throws {
        let directory = try TemporaryDirectory()
        let transport = Transport.current
        if transport.isSecure {
            try Certificates.shared.write(to: directory)
            chmod(directory.path("key.pem"), 0o644)
        }
        for name in ["www", "www/dav", "www/deflate", "state"] {
            try directory.makeDirectory(name)
            chmod(directory.path(name), 0o777)
        }
        chmod(directory.path, 0o755)
        let token = directory.path.split(separator: "-").last.map(String.init) ?? ""
        try directory.write(token.utf8, to: "www/ready")
        self.directory = directory
        self.transport = transport
        process = try ServerProcess.start(answering: "/ready", with: token, directory) { port in
            try directory.write(Self.configuration(directory.path, port, transport).utf8, to: "httpd.conf")
            return Self.call(["-X", "-f", directory.path("httpd.conf")])
        }
    }

    deinit { process.kill() }

    package func url(_ path: String) -> String { "\(transport.scheme)://127.0.0.1:\(process.port)\(path)" }

    /// Puts a file there to be downloaded; names may begin with `dav/` or `deflate/`.
    package func serve(_ content: Content, as name: String) throws {
        try directory.write(content, to: "www/\(name)")
        chmod(directory.path("www/\(name)"), 0o644)
    }

    package var port: Int { process.port }

    /// Makes a served file look as if it had last been changed an hour ago.
    package func age(_ name: String) throws { try directory.age("www/\(name)") }

    /// What was uploaded to `/dav/`.
    package func uploaded(_ name: String) throws -> [UInt8] { try directory.read("www/dav/\(name)") }

    package func stop() { process.kill() }

    // Apache refuses to serve as root. Changing the user takes away the order to die with the test, so setpriv
    // gives it again.
    static func call(_ arguments: [String]) -> ProgramCall {
        guard Tools.isRoot else { return ProgramCall(program, arguments) }
        let identity = ["--reuid=www-data", "--regid=www-data", "--clear-groups", "--pdeathsig=KILL"]
        return ProgramCall(stepDown, identity + [program] + arguments)
    }

    private static func configuration(_ directory: String, _ port: Int, _ transport: Transport) -> String {
        var modules = ["mpm_event", "authz_core", "dav", "dav_fs", "deflate", "filter", "mime", "reqtimeout"]
        if transport.isSecure { modules += ["ssl", "http2"] }
        let loading = modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
        let encryption = """
            SSLEngine on
            SSLCertificateFile \(directory)/cert.pem
            SSLCertificateKeyFile \(directory)/key.pem
            Protocols \(transport == .http2 ? "h2" : "http/1.1")

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
            RequestReadTimeout body=60,MinRate=1
            LimitRequestBody 0
            <Directory \(directory)/www>
                Require all granted
            </Directory>
            <Location /dav/>
                Dav On
            </Location>
            <Location /deflate/>
                SetOutputFilter DEFLATE
            </Location>

            """
    }
}
