import Foundation
import Glibc

/// nginx and the sink, each on a free port, and their certificate.
final class Servers {
    let http: UInt16
    let https: UInt16
    let sink: UInt16
    let sinkTLS: UInt16
    let certificate: String
    /// The sink's notes about tus: a monotonic time, a method and a count of bytes on each line.
    let sinkLog: String
    private var children: [pid_t] = []

    init(_ place: Place) throws {
        certificate = place.path + "/certificate.pem"
        sinkLog = place.path + "/sink.log"
        let key = place.path + "/key.pem"
        try makeCertificate(certificate, key: key, for: "127.0.0.1")
        http = try Loopback.freePort()
        https = try Loopback.freePort()
        let configuration = Self.nginx(place.path, http, https, certificate, key)
        try configuration.write(toFile: place.path + "/nginx.conf", atomically: false, encoding: .utf8)
        let nginx = try ChildRun(arguments: [
            "/usr/sbin/nginx", "-p", place.path, "-c", place.path + "/nginx.conf", "-e", place.path + "/nginx.log",
        ]).start()
        let portFile = place.path + "/sink.ports"
        let sinkChild = try ChildRun(arguments: [
            place.products + "/discard-sink", portFile, certificate, key, sinkLog,
        ]).start()
        children = [nginx, sinkChild]
        var ports: [UInt16] = []
        for _ in 0..<250 where ports.count != 2 {
            usleep(20_000)
            let text = (try? String(contentsOfFile: portFile, encoding: .utf8)) ?? ""
            if text.hasSuffix("\n") { ports = text.split(whereSeparator: \.isWhitespace).compactMap { UInt16($0) } }
        }
        guard ports.count == 2 else {
            for child in children { kill(child, SIGKILL) }
            throw BenchFailure("the sink did not start")
        }
        (sink, sinkTLS) = (ports[0], ports[1])
        try waitForPort(http)
    }

    func stop() {
        for child in children {
            kill(child, SIGTERM)
            waitpid(child, nil, 0)
        }
        children = []
    }

    private func waitForPort(_ port: UInt16) throws {
        for _ in 0..<250 {
            if let socket = try? Loopback.connect(port: port) {
                close(socket)
                return
            }
            usleep(20_000)
        }
        throw BenchFailure("nginx did not start: see its log")
    }

    private static func nginx(
        _ place: String, _ http: UInt16, _ https: UInt16, _ certificate: String, _ key: String
    ) -> String {
        """
        daemon off; pid nginx.pid; worker_processes 1; worker_rlimit_nofile 65536;
        \(getuid() == 0 ? "user root;" : "")
        events { worker_connections 16384; }
        http {
          access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000; keepalive_timeout 300s;
          default_type application/octet-stream; root \(place)/www;
          client_body_temp_path \(place)/body; proxy_temp_path \(place)/proxy; fastcgi_temp_path \(place)/fcgi;
          uwsgi_temp_path \(place)/uwsgi; scgi_temp_path \(place)/scgi;
          server {
            listen 127.0.0.1:\(http) backlog=4096; listen 127.0.0.1:\(https) ssl backlog=4096;
            ssl_certificate \(certificate); ssl_certificate_key \(key);
            location /each/ { alias \(place)/www/; limit_rate 4m; }
            location /taken/ { return 204; }
            location /slow/ { alias \(place)/www/; limit_rate 64k; }
          }
        }
        """
    }
}
