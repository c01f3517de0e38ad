import Glibc
import LonghaulCore

/// A real server that supports HTTP/3, HTTP/2, and HTTP/1.1 on the same port, and announces HTTP/3: nginx if it supports that, otherwise
/// caddy.
///
/// It serves paths that start with `/www/`, and forwards all others unchanged to one of the tests' own servers.
package final class HTTP3Peer: Sendable {
    private enum Kind {
        case nginx
        case caddy
    }

    /// Why there is no HTTP/3 here; `nil` if there is.
    package static let missing: String? = {
        guard kind != nil else { return "no HTTP/3 server is installed: caddy, or nginx 1.25 or later" }
        return libcurlHasHTTP3 ? nil : "this libcurl has no HTTP/3"
    }()

    private static let nginxProgram = "/usr/sbin/nginx"
    private static let caddyProgram = "/usr/bin/caddy"
    private static let kind: Kind? = {
        let facts = try? ProgramCall(nginxProgram, ["-V"]).run()
        if facts?.errorOutput.contains("http_v3_module") == true { return .nginx }
        return access(caddyProgram, X_OK) == 0 ? .caddy : nil
    }()

    private let directory: TemporaryDirectory
    private let child: ChildProcess
    package let port: Int

    /// `backend` is the port of the plain server that gets the forwarded requests. Without HTTP/3, packets to the UDP port are lost.
    package init(before backend: Int = 9, speaksHTTP3: Bool = true, in network: NetworkNamespace? = nil) throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("www")
        try directory.makeDirectory("tmp")
        try Certificates.shared.write(to: directory)
        self.directory = directory
        let (child, port) = try Self.start { port in
            let calls = HTTP3PeerCalls(directory: directory, port: port, backend: backend, speaksHTTP3: speaksHTTP3)
            let call =
                switch Self.kind {
                case .nginx: try calls.nginx(Self.nginxProgram)
                case .caddy, nil: try calls.caddy(Self.caddyProgram)
                }
            return network?.enter(call) ?? call
        }
        self.child = child
        self.port = port
    }

    deinit {
        child.signal(SIGKILL)
        // A process that survives this is stuck in the kernel.
        _ = try? child.waitForEnd()
    }

    package func url(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }

    /// Serves a file from `/www/`.
    package func serve(_ content: Content, as name: String) throws { try directory.write(content, to: "www/\(name)") }

    /// Protocol, method, and status of each finished request, in order: `HTTP/3.0 GET 206`. A request of a killed
    /// client finishes when the server's timeout expires.
    package var requests: [String] {
        child.output.split(separator: "\n").compactMap { HTTP3PeerCalls.request(String($0)) }
    }

    /// Returns when the given number of requests have finished.
    @discardableResult
    package func waitForRequests(_ count: Int) async throws -> [String] {
        try await wait(for: "\(count) requests") { $0.count >= count }
    }

    /// Returns when requests (`GET 206`) and one over HTTP/3 have finished. They may be different requests: libcurl takes TCP for a
    /// connection whose QUIC handshake is slower than 200 ms, as it can be on a busy machine.
    package func wait(forRequest request: String, count: Int = 1) async throws {
        _ = try await wait(for: "\(request), and a request over HTTP/3") { requests in
            requests.count { $0.hasSuffix(" " + request) } >= count
                && requests.contains { $0.hasPrefix("HTTP/3.0 ") }
        }
    }

    private func wait(
        for what: String, until fits: @escaping @Sendable ([String]) -> Bool
    ) async throws -> [String] {
        try await child.waitForOutput(for: what) { output in
            let requests = output.split(separator: "\n").compactMap { HTTP3PeerCalls.request(String($0)) }
            return fits(requests) ? requests : nil
        }
    }

    /// Another process may take the port between choosing and using it: then another port is tried.
    private static func start(_ call: (Int) throws -> ProgramCall) throws -> (ChildProcess, Int) {
        var trouble = ""
        for _ in 0..<5 {
            let port = try NastyServer.closedPort()
            let child = try ChildProcess(call(port))
            // Both report when all ports are open.
            let isReady = try child.state.wait(for: "the server to be ready") { state -> Bool? in
                let said = String(decoding: state.output + state.errorOutput, as: UTF8.self)
                if said.contains("using the \"epoll\"") || said.contains("serving initial configuration") {
                    return true
                }
                return state.ending == nil ? nil : false
            }
            if isReady { return (child, port) }
            trouble = child.errorOutput + child.output
        }
        throw TransferFailure(.serviceUnavailable, "the server did not start: \(trouble)")
    }

    /// Whether the libcurl for programs here supports HTTP/3: it then names its HTTP/3 library.
    private static var libcurlHasHTTP3: Bool {
        guard let library = dlopen("libcurl.so.4", RTLD_NOW), let symbol = dlsym(library, "curl_version") else {
            return false
        }
        typealias Version = @convention(c) () -> UnsafePointer<CChar>?
        return unsafeBitCast(symbol, to: Version.self)().map { String(cString: $0).contains("nghttp3") } ?? false
    }
}

/// The command lines, configurations, and log formats of the servers.
struct HTTP3PeerCalls {
    let directory: TemporaryDirectory
    let port: Int
    let backend: Int
    let speaksHTTP3: Bool

    func nginx(_ program: String) throws -> ProgramCall {
        let configuration = """
            \(Tools.isRoot ? "user root;" : "")
            daemon off;
            master_process off;
            pid \(directory.path)/nginx.pid;
            error_log /dev/stdout notice;
            events {}
            http {
                log_format facts 'request $server_protocol $request_method $status';
                access_log /dev/stdout facts;
                client_body_temp_path \(directory.path)/tmp/body;
                proxy_temp_path \(directory.path)/tmp/proxy;
                server {
                    listen 127.0.0.1:\(port) ssl;
                    \(speaksHTTP3 ? "listen 127.0.0.1:\(port) quic;" : "")
                    http2 on;
                    ssl_certificate \(directory.path)/cert.pem;
                    ssl_certificate_key \(directory.path)/key.pem;
                    add_header Alt-Svc 'h3=":\(port)"; ma=3600' always;
                    root \(directory.path);
                    client_max_body_size 0;
                    location /www/ { }
                    location / {
                        proxy_pass http://127.0.0.1:\(backend);
                        proxy_http_version 1.1;
                        proxy_request_buffering off;
                        proxy_buffering off;
                    }
                }
            }
            """
        try directory.write(configuration.utf8, to: "nginx.conf")
        return ProgramCall(program, ["-e", "/dev/stdout", "-p", directory.path, "-c", directory.path("nginx.conf")])
    }

    func caddy(_ program: String) throws -> ProgramCall {
        let configuration = """
            {
                admin off
                auto_https off
                servers {
                    protocols h1 h2 \(speaksHTTP3 ? "h3" : "")
                }
            }
            :\(port) {
                bind 127.0.0.1
                log {
                    output stdout
                }
                tls \(directory.path)/cert.pem \(directory.path)/key.pem
                \(speaksHTTP3 ? "" : "header Alt-Svc `h3=\":\(port)\"; ma=3600`")
                handle /www/* {
                    root * \(directory.path)
                    file_server
                }
                handle {
                    reverse_proxy 127.0.0.1:\(backend) {
                        flush_interval -1
                    }
                }
            }

            """
        try directory.write(configuration.utf8, to: "Caddyfile")
        return ProgramCall(
            program, ["run", "--config", directory.path("Caddyfile"), "--adapter", "caddyfile"],
            environment: ["HOME": directory.path, "PATH": "/usr/bin:/bin"])
    }

    /// Parses a line of either log; `nil` if it does not report a request.
    static func request(_ line: String) -> String? {
        if line.hasPrefix("request ") { return String(line.dropFirst(8)) }
        guard let proto = value(of: "proto", in: line), let method = value(of: "method", in: line),
            let status = value(of: "status", in: line)
        else { return nil }
        return "\(proto) \(method) \(status)"
    }

    /// Returns the first member of that name in a line of JSON whose values need no escapes.
    private static func value(of name: String, in line: String) -> String? {
        guard let range = line.firstRange(of: "\"\(name)\":") else { return nil }
        let rest = line[range.upperBound...].drop { $0 == "\"" }
        return String(rest.prefix { $0 != "\"" && $0 != "," && $0 != "}" })
    }
}
