import Glibc
import LonghaulCore

/// One Apache httpd in a separate directory, over the transport of its test: the common part of all servers based on it.
struct ApacheInstance {
    /// Why it cannot be used here; `nil` if it can.
    static var missing: String? {
        Tools.missing("apache2", program) ?? (Tools.isRoot ? Tools.missing("setpriv", stepDown) : nil)
    }

    private static let program = "/usr/sbin/apache2"
    private static let stepDown = "/usr/bin/setpriv"

    let directory: TemporaryDirectory
    let process: ServerProcess
    let transport: Transport

    /// The particular settings of one server.
    struct Setup: Sendable {
        /// Directories below `www`, which always exists.
        var folders: [String]
        var modules: [String]
        var environment: [String: String] = [:]
        /// Configuration lines if the transport is secure, and in any case; they may contain the server's directory.
        var secureLines: @Sendable (String) -> String = { _ in "" }
        var lines: @Sendable (String) -> String
    }

    /// Starts the server. `prepare` adds files to the directory first; the name in it is the content of `www/ready`.
    init(
        _ setup: Setup, prepare: (TemporaryDirectory, Transport, _ name: String) throws -> Void = { _, _, _ in }
    ) throws {
        let directory = try TemporaryDirectory()
        let transport = Transport.current
        if transport.isSecure {
            try Certificates.shared.write(to: directory)
            chmod(directory.path("key.pem"), 0o644)
        }
        for name in ["www"] + setup.folders.map({ "www/\($0)" }) + ["state"] {
            try directory.makeDirectory(name)
            chmod(directory.path(name), 0o777)
        }
        chmod(directory.path, 0o755)
        let token = directory.path.split(separator: "-").last.map(String.init) ?? ""
        try directory.write(token.utf8, to: "www/ready")
        try prepare(directory, transport, token)
        self.directory = directory
        self.transport = transport
        process = try ServerProcess.start(answering: "/ready", with: token, directory) { port in
            try directory.write(Self.configuration(setup, directory.path, port, transport).utf8, to: "httpd.conf")
            var call = Self.call(["-X", "-f", directory.path("httpd.conf")])
            call.environment.merge(setup.environment) { $1 }
            return call
        }
    }

    func url(_ path: String) -> String { "\(transport.scheme)://127.0.0.1:\(process.port)\(path)" }

    // Apache refuses to serve as root. Changing the user cancels the death signal of the test process, so setpriv sets
    // it again.
    static func call(_ arguments: [String]) -> ProgramCall {
        guard Tools.isRoot else { return ProgramCall(program, arguments) }
        let identity = ["--reuid=www-data", "--regid=www-data", "--clear-groups", "--pdeathsig=KILL"]
        return ProgramCall(stepDown, identity + [program] + arguments)
    }

    private static func configuration(
        _ setup: Setup, _ directory: String, _ port: Int, _ transport: Transport
    ) -> String {
        let modules = setup.modules + (transport.isSecure ? ["ssl", "http2"] : [])
        let loading = modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
        let encryption = """
            SSLEngine on
            SSLCertificateFile \(directory)/cert.pem
            SSLCertificateKeyFile \(directory)/key.pem
            Protocols \(transport == .http2 ? "h2" : "http/1.1")

            """
        let usual = """
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

            """
        let secure = transport.isSecure ? encryption + setup.secureLines(directory) : ""
        return loading.joined(separator: "\n") + "\n" + secure + usual + setup.lines(directory)
    }
}
