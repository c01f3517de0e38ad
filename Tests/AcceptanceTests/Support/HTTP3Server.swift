import Glibc
import LonghaulCore
import TestSupport

/// nginx with HTTP/1.1, HTTP/2 and, if wanted, HTTP/3 on one port. Without HTTP/3 its UDP port swallows what comes, as a network
/// does that takes no UDP.
final class HTTP3Server: Sendable {
    /// Why it cannot be used here; `nil` when it can.
    static let missing: String? = {
        guard access(program, X_OK) == 0 else { return "nginx is not at \(program)" }
        guard let facts = try? ProgramCall(program, ["-V"]).run(), facts.errorOutput.contains("http_v3_module") else {
            return "this nginx has no HTTP/3"
        }
        return libcurlHasHTTP3 ? nil : "this libcurl has no HTTP/3"
    }()

    private static let program = "/usr/sbin/nginx"
    let certificate: String
    let port: Int
    private let directory: TemporaryDirectory
    private let process: ChildProcess
    private let swallower: Int32

    init(speaksHTTP3: Bool) throws {
        let directory = try TemporaryDirectory()
        for name in ["www", "www/up", "tmp"] { try directory.makeDirectory(name) }
        certificate = directory.path("cert.pem")
        let made = try ProgramCall(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=IP:127.0.0.1", "-keyout", directory.path("key.pem"), "-out", certificate,
            ]
        ).run()
        guard made.ending == .exited(0) else {
            throw TransferFailure(.internalFault, "openssl made no certificate")
        }
        port = try NastyServer.closedPort()
        swallower = try speaksHTTP3 ? -1 : Self.swallow(port)
        let configuration = Self.configuration(directory.path, port, speaksHTTP3)
        try directory.write(configuration.utf8, to: "nginx.conf")
        self.directory = directory
        process = try ChildProcess(
            ProgramCall(
                Self.program, ["-e", "/dev/stdout", "-p", directory.path, "-c", directory.path("nginx.conf")]))
        // Said when the ports are open.
        try process.waitForOutput(containing: "event method")
    }

    deinit {
        process.signal(SIGKILL)
        // A process that even this does not end is stuck in the kernel.
        _ = try? process.waitForEnd()
        if swallower >= 0 { close(swallower) }
    }

    func url(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }

    func serve(_ content: Content, as name: String) throws {
        try directory.write(content, to: "www/\(name)")
        try directory.age("www/\(name)")
    }

    func uploaded(_ name: String) throws -> [UInt8] { try directory.read("www/up/\(name)") }

    /// Protocol and status of each finished request, in order.
    func requests(_ count: Int) async throws -> [String] {
        try await process.waitForOutput(for: "\(count) requests") { output in
            let lines = output.split(separator: "\n").filter { $0.hasPrefix("request ") }.map {
                String($0.dropFirst(8))
            }
            return lines.count >= count ? lines : nil
        }
    }

    /// Whether the libcurl that programs get here has HTTP/3: it names the library that frames it.
    private static var libcurlHasHTTP3: Bool {
        guard let library = dlopen("libcurl.so.4", RTLD_NOW), let symbol = dlsym(library, "curl_version") else {
            return false
        }
        typealias Version = @convention(c) () -> UnsafePointer<CChar>?
        return unsafeBitCast(symbol, to: Version.self)().map { String(cString: $0).contains("nghttp3") } ?? false
    }

    private static func swallow(_ port: Int) throws -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw TransferFailure(.internalFault, "the UDP port \(port) is taken") }
        return socket
    }

    private static func configuration(_ directory: String, _ port: Int, _ speaksHTTP3: Bool) -> String {
        """
        \(geteuid() == 0 ? "user root;" : "")
        daemon off;
        master_process off;
        pid \(directory)/nginx.pid;
        error_log /dev/stdout notice;
        events {}
        http {
            log_format facts 'request $server_protocol $status';
            access_log /dev/stdout facts;
            client_body_temp_path \(directory)/tmp/body;
            server {
                listen 127.0.0.1:\(port) ssl;
                \(speaksHTTP3 ? "listen 127.0.0.1:\(port) quic;" : "")
                http2 on;
                ssl_certificate \(directory)/cert.pem;
                ssl_certificate_key \(directory)/key.pem;
                root \(directory)/www;
                client_max_body_size 0;
                location / { }
                location /slow/ { alias \(directory)/www/; limit_rate 500k; }
                location /up/ { dav_methods PUT; }
            }
        }
        """
    }
}
