import Glibc
import LonghaulCore

/// A real Squid for user ada with password s3cret: without encryption, or behind an HAProxy that speaks TLS.
package final class Squid: Sendable {
    /// Why it cannot be used here; `nil` if it can.
    package static var missing: String? {
        Tools.missing("squid", program) ?? Tools.missing("squid", basic) ?? Tools.missing("squid", digest)
            ?? Tools.missing("haproxy", front)
    }

    private static let program = "/usr/sbin/squid"
    private static let basic = "/usr/lib/squid/basic_ncsa_auth"
    private static let digest = "/usr/lib/squid/digest_file_auth"
    private static let negotiate = "/usr/lib/squid/negotiate_kerberos_auth"
    private static let front = "/usr/sbin/haproxy"
    private let directory: TemporaryDirectory
    private let process: ServerProcess
    private let tls: ServerProcess?

    /// The schemes of its login.
    package enum Login: Sendable {
        case basic
        case digest
        case both
        case negotiate(KerberosRealm)

        fileprivate var realm: KerberosRealm? { if case .negotiate(let realm) = self { realm } else { nil } }
    }

    package init(speakingTLS: Bool = false, login: Login = .basic) throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("state")
        chmod(directory.path("state"), 0o777)
        chmod(directory.path, 0o755)
        let crypt = try ProgramCall("/usr/bin/openssl", ["passwd", "-apr1", "-salt", "abcdefgh", "s3cret"]).run()
        try directory.write("ada:\(crypt.output)".utf8, to: "passwords")
        try directory.write("ada:s3cret\n".utf8, to: "secrets")
        self.directory = directory
        let process = try ServerProcess.start(request: "GET /", expecting: "squid") { port in
            try directory.write(Self.configuration(directory.path, port, login).utf8, to: "squid.conf")
            var call = ProgramCall(Self.program, ["-N", "-f", directory.path("squid.conf")])
            call.environment.merge(login.realm?.environment ?? [:]) { $1 }
            return call
        }
        self.process = process
        tls = speakingTLS ? try Self.startFront(before: process.port, directory) : nil
    }

    deinit {
        tls?.kill()
        process.kill()
    }

    /// The host and port, with `https` if it speaks TLS.
    package var url: String {
        tls.map { "https://localhost:\($0.port)" } ?? "http://127.0.0.1:\(process.port)"
    }

    /// The lines of its log for finished requests to another server: method, user name, and status.
    package var log: [String] {
        // The log is missing before the first request.
        let log = (try? directory.read("state/access")) ?? []
        let lines = String(decoding: log, as: UTF8.self).split(separator: "\n").map(String.init)
        return lines.filter { !$0.hasSuffix(" - 400") }
    }

    private static func startFront(before port: Int, _ directory: TemporaryDirectory) throws -> ServerProcess {
        let certificates = Certificates.shared
        try directory.write((certificates.certificate + certificates.key).utf8, to: "front.pem")
        try certificates.write(to: directory)
        return try ServerProcess.start(
            isReady: { front in
                let words = ["-sS", "--cacert", directory.path("ca.pem"), "https://127.0.0.1:\(front)/"]
                // There is no response until it listens.
                return (try? ProgramCall("/usr/bin/curl", words).run())?.output.contains("squid") == true
            },
            { front in
                let text = """
                    defaults
                        mode tcp
                        timeout connect 60s
                        timeout client 300s
                        timeout server 300s
                    listen front
                        bind 127.0.0.1:\(front) ssl crt \(directory.path("front.pem"))
                        server squid 127.0.0.1:\(port)

                    """
                try directory.write(text.utf8, to: "haproxy.cfg")
                return ProgramCall(Self.front, ["-db", "-f", directory.path("haproxy.cfg")])
            })
    }

    private static func configuration(_ directory: String, _ port: Int, _ login: Login) -> String {
        let basic = "auth_param basic program \(basic) \(directory)/passwords\nauth_param basic children 1"
        let digest = """
            auth_param digest program \(digest) \(directory)/secrets
            auth_param digest children 1
            auth_param digest realm squid
            """
        let schemes =
            switch login {
            case .basic: basic
            case .digest: digest
            case .both: digest + "\n" + basic
            case .negotiate(let realm):
                """
                auth_param negotiate program \(negotiate) -k \(realm.keytab) -s HTTP/localhost@LONGHAUL.TEST
                auth_param negotiate children 1
                """
            }
        return """
            http_port 127.0.0.1:\(port)
            visible_hostname squid
            pid_filename none
            cache deny all
            cache_mem 1 MB
            max_filedescriptors 1024
            shutdown_lifetime 0 seconds
            logfile_rotate 0
            pinger_enable off
            netdb_filename none
            coredump_dir \(directory)/state
            cache_log \(directory)/state/errors
            logformat short %rm %un %>Hs
            access_log stdio:\(directory)/state/access short
            \(schemes)
            acl people proxy_auth REQUIRED
            http_access allow people
            http_access deny all

            """
    }
}

/// A real Dante, a SOCKS 5 proxy.
package final class Dante: Sendable {
    /// Why it cannot be used here; `nil` if it can.
    package static var missing: String? { Tools.missing("danted", program) }

    private static let program = "/usr/sbin/danted"
    private let directory: TemporaryDirectory
    private let process: ServerProcess

    package init() throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        self.directory = directory
        process = try ServerProcess.start(isReady: LoopbackAddress.accepts) { port in
            try directory.write(Self.configuration(directory.path, port).utf8, to: "danted.conf")
            // Its child processes outlive it for a moment, and must not keep its output open.
            let (file, pid) = (directory.path("danted.conf"), directory.path("pid"))
            let words = "exec \(Self.program) -f \(file) -p \(pid) >/dev/null 2>&1"
            return ProgramCall("/bin/sh", ["-c", words])
        }
    }

    /// Its child processes end when it is gone.
    deinit { process.kill() }

    package var address: String { "127.0.0.1:\(process.port)" }

    /// Its log of connections.
    package var log: String { String(decoding: (try? directory.read("log")) ?? [], as: UTF8.self) }

    private static func configuration(_ directory: String, _ port: Int) -> String {
        """
        logoutput: \(directory)/log
        internal: 127.0.0.1 port = \(port)
        external: 127.0.0.1
        clientmethod: none
        socksmethod: none
        user.privileged: root
        user.unprivileged: nobody
        client pass {
            from: 127.0.0.0/8 to: 0.0.0.0/0
            log: error
        }
        socks pass {
            from: 127.0.0.0/8 to: 0.0.0.0/0
            command: connect
            log: connect error
        }

        """
    }
}
