import Glibc
import LonghaulCore
import TestSupport

/// TLS servers with a separate certificate: a real nginx (HTTP/2 and HTTP/1.1), and one that ends its connections as
/// specified.
final class TLSServer: Sendable {
    /// Why it cannot be used here; `nil` if it can.
    static var missing: String? {
        for program in ["/usr/sbin/nginx", "/usr/bin/openssl", "/usr/bin/python3"] where access(program, X_OK) != 0 {
            return "\(program) is not installed"
        }
        return nil
    }

    let directory: TemporaryDirectory
    let port: Int
    let certificate: String
    private let process: ChildProcess

    private init(_ directory: TemporaryDirectory, _ port: Int, _ process: ChildProcess) {
        self.directory = directory
        self.port = port
        self.process = process
        certificate = directory.path("cert.pem")
    }

    deinit {
        process.signal(SIGKILL)
        // The directory is deleted next; a process that survives this would be a fault of the kernel.
        _ = try? process.waitForEnd()
    }

    var url: String { "https://127.0.0.1:\(port)" }

    /// The flaw of its certificate.
    enum Flaw: CaseIterable, Sendable {
        case none
        case expired
        case notYetValid
        case nameOfAnother
        case unknownIssuer
    }

    static func nginx(_ flaw: Flaw = .none) throws -> TLSServer {
        let directory = try prepared(flaw)
        let port = try NastyServer.closedPort()
        try directory.write(configuration(directory.path, port).utf8, to: "nginx.conf")
        let arguments = ["-e", "stderr", "-p", directory.path, "-c", directory.path("nginx.conf")]
        return try TLSServer(directory, port, ChildProcess(ProgramCall("/usr/sbin/nginx", arguments)))
            // Printed when the port is open.
            .ready(saying: "event method")
    }

    /// Sends a body without a length on every connection, and ends the connection with or without the closing alert.
    static func ending(orderly: Bool) throws -> TLSServer {
        let directory = try prepared()
        let port = try NastyServer.closedPort()
        try directory.write(endingProgram(orderly).utf8, to: "server.py")
        let arguments = [directory.path("server.py"), directory.path("cert.pem"), directory.path("key.pem"), "\(port)"]
        return try TLSServer(directory, port, ChildProcess(ProgramCall("/usr/bin/python3", arguments)))
            .ready(saying: "ready")
    }

    /// `openssl s_server` with these options.
    static func openssl(_ options: [String]) throws -> TLSServer {
        let directory = try prepared()
        let port = try NastyServer.closedPort()
        let arguments =
            ["s_server", "-accept", "127.0.0.1:\(port)", "-cert", directory.path("cert.pem")]
            + ["-key", directory.path("key.pem"), "-CAfile", directory.path("cert.pem"), "-www"] + options
        return try TLSServer(directory, port, ChildProcess(ProgramCall("/usr/bin/openssl", arguments)))
            .ready(saying: "ACCEPT")
    }

    private func ready(saying word: String) throws -> TLSServer {
        try process.waitForOutput(containing: word)
        return self
    }

    private static func prepared(_ flaw: Flaw = .none) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("www")
        try directory.write(authority.utf8, to: "ca.cnf")
        try directory.write("".utf8, to: "index.txt")
        try directory.write("01\n".utf8, to: "serial")
        let address = flaw == .nameOfAnother ? "127.0.0.2" : "127.0.0.1"
        try openssl(
            directory,
            [
                "req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=IP:\(address)", "-keyout", directory.path("key.pem"), "-out",
                directory.path("request.pem"),
            ])
        let signing = [
            "ca", "-batch", "-config", directory.path("ca.cnf"), "-notext", "-in", directory.path("request.pem"),
        ]
        let dates =
            switch flaw {
            case .expired: ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"]
            case .notYetValid: ["-startdate", "20980101000000Z", "-enddate", "20990101000000Z"]
            case .none, .nameOfAnother, .unknownIssuer: ["-days", "2"]
            }
        var issuer = ["-selfsign", "-keyfile", directory.path("key.pem")]
        if flaw == .unknownIssuer {
            try openssl(
                directory,
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Stranger", "-keyout",
                    directory.path("stranger.key"), "-out", directory.path("stranger.pem"),
                ])
            issuer = ["-cert", directory.path("stranger.pem"), "-keyfile", directory.path("stranger.key")]
        }
        try openssl(directory, signing + dates + issuer + ["-out", directory.path("cert.pem")])
        return directory
    }

    private static func openssl(_ directory: TemporaryDirectory, _ arguments: [String]) throws {
        var call = ProgramCall("/usr/bin/openssl", arguments)
        call.directory = directory.path
        guard try call.run().ending == .exited(0) else { throw Unexpected() }
    }

    /// Only `ca` allows explicit start and end dates of a certificate.
    private static let authority = """
        [ca]
        default_ca = own
        [own]
        database = index.txt
        serial = serial
        new_certs_dir = .
        default_md = sha256
        policy = any
        copy_extensions = copy
        [any]
        commonName = supplied
        """

    private static func configuration(_ directory: String, _ port: Int) -> String {
        """
        \(geteuid() == 0 ? "user root;" : "")
        daemon off;
        master_process off;
        pid \(directory)/nginx.pid;
        error_log /dev/stdout notice;
        events {}
        http {
            access_log off;
            client_body_temp_path \(directory)/body;
            server {
                listen 127.0.0.1:\(port) ssl http2;
                ssl_certificate \(directory)/cert.pem;
                ssl_certificate_key \(directory)/key.pem;
                ssl_session_cache builtin:100;
                root \(directory)/www;
                client_max_body_size 0;
                location / {
                    dav_methods PUT;
                    add_header X-Protocol $server_protocol;
                    add_header X-Connection $connection;
                    add_header X-Session $ssl_session_reused;
                }
            }
        }
        """
    }

    private static func endingProgram(_ isOrderly: Bool) -> String {
        """
        import socket, ssl, sys
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        listener = socket.create_server(("127.0.0.1", int(sys.argv[3])))
        print("ready", flush=True)
        while True:
            plain, _ = listener.accept()
            secure = context.wrap_socket(plain, server_side=True)
            secure.recv(65536)
            secure.sendall(b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\n\\r\\n" + b"x" * 300000)
            if \(isOrderly ? "True" : "False"): secure.unwrap()
            secure.close()
        """
    }
}
