import Glibc
import LonghaulCore

/// A real nginx with a separate directory, over the transport of its test.
///
/// Locations, all with the same files: `/` is correct, `/slow/` sends 100 kB a second, `/paced/` 1 MiB, `/brisk/` 2 MiB, `/norange/`
/// ignores ranges, `/noetag/` has only dates, `/gz/` compresses text, `/cd/` names the file `naïve.bin`. `/dav/` accepts PUT and DELETE,
/// `/trickle/FILE/` is that file under any name, at 16 kB a second, `/small/` accepts PUT up to 1 MiB, `/busy/` is always 503 with
/// `Retry-After: 2`.
package final class Nginx: Sendable {
    /// Why it cannot be used here; `nil` if it can.
    package static var missing: String? { Tools.missing("nginx", program) }

    private static let program = "/usr/sbin/nginx"
    private let directory: TemporaryDirectory
    private let process: ServerProcess
    private let transport: Transport

    package init() throws {
        let directory = try TemporaryDirectory()
        let transport = Transport.current
        if transport.isSecure { try Certificates.shared.write(to: directory) }
        for name in ["www", "www/dav", "www/small", "tmp"] { try directory.makeDirectory(name) }
        let token = directory.path.split(separator: "-").last.map(String.init) ?? ""
        try directory.write(token.utf8, to: "www/ready")
        self.directory = directory
        self.transport = transport
        process = try ServerProcess.start(answering: "/ready", with: token, directory) { port in
            try directory.write(Self.configuration(directory.path, port, transport).utf8, to: "nginx.conf")
            return ProgramCall(
                Self.program, ["-e", "stderr", "-p", directory.path, "-c", directory.path("nginx.conf")])
        }
    }

    deinit { process.kill() }

    package func url(_ path: String) -> String { "\(transport.scheme)://127.0.0.1:\(process.port)\(path)" }

    /// Serves a file, in all locations.
    package func serve(_ content: Content, as name: String) throws { try directory.write(content, to: "www/\(name)") }

    /// Serves a file with an old modification time, so that its validators are strong.
    package func serveOld(_ content: Content, as name: String) throws {
        try serve(content, as: name)
        try directory.age("www/\(name)")
    }

    /// Replaces a served file with another one of the same modification time. If the length is the same too, so is the
    /// entity tag, and responses in progress continue with the old file.
    package func replace(_ name: String, with content: Content) throws {
        let (path, new) = (directory.path("www/\(name)"), "www/\(name).new")
        try serve(content, as: "\(name).new")
        var facts = stat()
        guard stat(path, &facts) == 0,
            utimensat(AT_FDCWD, directory.path(new), [facts.st_mtim, facts.st_mtim], 0) == 0,
            rename(directory.path(new), path) == 0
        else { throw Unexpected() }
    }

    package var port: Int { process.port }

    package func serve(_ bytes: [UInt8], as name: String) throws { try directory.write(bytes, to: "www/\(name)") }

    /// Returns a file that was uploaded to `/dav/`.
    package func uploaded(_ name: String) throws -> [UInt8] { try directory.read("www/dav/\(name)") }

    package func stop() throws { try process.stop() }

    /// One finished request in the access log.
    package struct LogEntry: Equatable, Sendable {
        package var method: String
        package var uri: String
        package var status: Int
        /// Bytes of the request: request line, headers, and body.
        package var requestLength: Int64
        package var bodyBytesSent: Int64
        /// Whether nginx has processed the complete request.
        package var isComplete: Bool
        package var range: String?
    }

    /// Every finished request so far. Requests in progress are missing.
    package var log: [LogEntry] { Self.entries(process.child.output) }

    /// Blocks until that many requests have finished.
    @discardableResult
    package func waitForLog(_ count: Int) throws -> [LogEntry] {
        try process.child.state.wait(for: "\(count) finished requests of nginx") { state in
            let entries = Self.entries(String(decoding: state.output, as: UTF8.self))
            return entries.count >= count ? entries : nil
        }
    }

    @discardableResult
    package func waitForLog(_ count: Int) async throws -> [LogEntry] {
        try await aside { try self.waitForLog(count) }
    }

    private static func entries(_ output: String) -> [LogEntry] {
        output.split(separator: "\n").compactMap { line in
            let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard words.count == 7, words[1] != "/ready", let status = Int(words[2]), let length = Int64(words[3]),
                let sent = Int64(words[4])
            else { return nil }
            return LogEntry(
                method: words[0], uri: words[1], status: status, requestLength: length, bodyBytesSent: sent,
                isComplete: words[5] == "OK", range: words[6] == "-" ? nil : words[6])
        }
    }

    // A single process: a master killed with SIGKILL would leave its workers running. The log goes to standard output,
    // where tests can wait for its lines.
    private static func configuration(_ directory: String, _ port: Int, _ transport: Transport) -> String {
        let manner =
            switch transport {
            case .http1: ""
            case .secureHTTP1: " ssl"
            case .http2: " ssl http2"
            }
        let keys = "ssl_certificate \(directory)/cert.pem; ssl_certificate_key \(directory)/key.pem;"
        return """
            \(Tools.isRoot ? "user root;" : "")
            daemon off;
            master_process off;
            pid \(directory)/nginx.pid;
            error_log stderr warn;
            worker_rlimit_nofile 4096;
            events { worker_connections 2048; }
            http {
                log_format facts '$request_method\\t$request_uri\\t$status\\t$request_length\\t$body_bytes_sent\\t$request_completion\\t$http_range';
                access_log /dev/stdout facts;
                client_body_temp_path \(directory)/tmp/body;
                proxy_temp_path \(directory)/tmp/proxy;
                fastcgi_temp_path \(directory)/tmp/fastcgi;
                uwsgi_temp_path \(directory)/tmp/uwsgi;
                scgi_temp_path \(directory)/tmp/scgi;
                types { text/plain txt; application/octet-stream bin; }
                default_type application/octet-stream;
                server {
                    listen 127.0.0.1:\(port)\(manner);
                    \(transport.isSecure ? keys : "")
                    root \(directory)/www;
                    client_max_body_size 0;
                    location / { }
                    location /slow/ { alias \(directory)/www/; limit_rate 100k; }
                    location /paced/ { alias \(directory)/www/; limit_rate 1m; }
                    location /brisk/ { alias \(directory)/www/; limit_rate 2m; }
                    location ~ ^/trickle/(?<file>[^/]+)/ { alias \(directory)/www/$file; limit_rate 16k; }
                    location /norange/ { alias \(directory)/www/; max_ranges 0; }
                    location /noetag/ { alias \(directory)/www/; etag off; }
                    location /gz/ { alias \(directory)/www/; gzip on; gzip_min_length 1; gzip_types text/plain; }
                    location /cd/ {
                        alias \(directory)/www/;
                        add_header Content-Disposition "attachment; filename=\\"x.bin\\"; filename*=UTF-8''na%C3%AFve.bin";
                    }
                    location /dav/ { dav_methods PUT DELETE; create_full_put_path on; }
                    location /small/ { dav_methods PUT; client_max_body_size 1m; }
                    location /busy/ { add_header Retry-After 2 always; return 503; }
                }
            }
            """
    }
}
