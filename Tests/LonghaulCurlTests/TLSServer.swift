import Glibc
import LonghaulCore
import TestSupport

/// Servers that speak TLS with a certificate of their own: a real nginx (HTTP/2 and HTTP/1.1), and one that ends its
/// connections as it is told.
final class TLSServer: Sendable {
    /// Why it cannot be used here; `nil` when it can.
    static var missing: String? {
        for program in ["/usr/sbin/nginx", "/usr/bin/openssl", "/usr/bin/python3"] where access(program, X_OK) != 0 {
            return "\(program) is not there"
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
        // The directory goes next; a process that outlives this would be a fault of the kernel.
        _ = try? process.waitForEnd()
    }

    var url: String { "https://127.0.0.1:\(port)" }

    static func nginx() throws -> TLSServer {
        let directory = try prepared()
        let port = try NastyServer.closedPort()
        try directory.write(configuration(directory.path, port).utf8, to: "nginx.conf")
        let arguments = ["-e", "stderr", "-p", directory.path, "-c", directory.path("nginx.conf")]
        return try TLSServer(directory, port, ChildProcess(ProgramCall("/usr/sbin/nginx", arguments)))
            // Said when the port is open.
            .ready(saying: "event method")
    }

    /// Answers every connection with a body without a length, and ends the connection with the closing alert or not.
    static func ending(orderly: Bool) throws -> TLSServer {
        let directory = try prepared()
        let port = try NastyServer.closedPort()
        try directory.write(endingProgram(orderly).utf8, to: "server.py")
        let arguments = [directory.path("server.py"), directory.path("cert.pem"), directory.path("key.pem"), "\(port)"]
        return try TLSServer(directory, port, ChildProcess(ProgramCall("/usr/bin/python3", arguments)))
            .ready(saying: "ready")
    }

    private func ready(saying word: String) throws -> TLSServer {
        try process.waitForOutput(containing: word)
        return self
    }

    private static func prepared() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("www")
        let result = try ProgramCall(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=IP:127.0.0.1", "-keyout", directory.path("key.pem"), "-out",
                directory.path("cert.pem"),
            ]
        ).run()
        guard result.ending == .exited(0) else { throw Unexpected() }
        return directory
    }

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
                root \(directory)/www;
                client_max_body_size 0;
                location / { dav_methods PUT; add_header X-Protocol $server_protocol; }
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
