import Foundation
import Glibc

/// A network with high latency: `far-line` with nginx at its far end. Programs at the near end are started with `near`.
final class FarNetwork {
    /// The properties of a line.
    struct Line {
        /// Milliseconds for a round trip.
        var roundTrip = 50.0
        /// Percentage of lost packets in each direction.
        var loss = 0.0
        /// Megabits a second in each direction; 0 for no limit.
        var rate = 0.0
    }

    let certificate: String
    let http = "http://10.77.0.2:8080/"
    let https = "https://10.77.0.2:8443/"
    /// Over HTTP/2 if the client requests it.
    let http2 = "https://10.77.0.2:8444/"
    /// The words before a command that make it run at the near end.
    private(set) var near: [String] = []
    private var children: [pid_t] = []

    /// Why this machine cannot create it; `nil` if it can.
    private static var obstacle: String? {
        if getuid() != 0 { return "only root can make networks" }
        return access("/dev/net/tun", R_OK | W_OK) == 0 ? nil : "there is no /dev/net/tun"
    }

    init(_ place: Place, _ line: Line) throws {
        certificate = place.path + "/far.pem"
        let key = place.path + "/far-key.pem"
        try makeCertificate(certificate, key: key, for: "10.77.0.2")
        let ends = place.path + "/far-line"
        unlink(ends)
        children = [
            try ChildRun(arguments: [
                place.products + "/far-line", ends, "\(line.roundTrip / 2)", "\(line.loss)", "\(line.rate)",
            ]).start()
        ]
        var networks: [String] = []
        try wait("the far network") {
            let text = (try? String(contentsOfFile: ends, encoding: .utf8)) ?? ""
            networks = text.hasSuffix("\n") ? text.split(whereSeparator: \.isWhitespace).map(String.init) : []
            return networks.count == 2
        }
        near = ["nsenter", "--net=\(networks[0])"]
        let configuration = place.path + "/far-nginx.conf"
        try Self.nginx(place.path, certificate, key).write(
            toFile: configuration, atomically: false, encoding: .utf8)
        children.append(
            try ChildRun(arguments: [
                "nsenter", "--net=\(networks[1])", "/usr/sbin/nginx", "-p", place.path, "-c", configuration, "-e",
                place.path + "/far-nginx.log",
            ]).start())
        let pidFile = place.path + "/far-nginx.pid"
        try wait("nginx at the far end") { access(pidFile, F_OK) == 0 }
    }

    /// Returns the results over such a line; none if this machine cannot create it.
    static func reached(_ place: Place, _ line: Line, _ body: (FarNetwork) throws -> [Row]) throws -> [Row] {
        if let obstacle {
            print("left out, since \(obstacle)")
            return []
        }
        let network = try FarNetwork(place, line)
        defer { network.end() }
        return try body(network)
    }

    func end() {
        for child in children.reversed() {
            kill(child, SIGTERM)
            waitpid(child, nil, 0)
        }
        children = []
    }

    private static func nginx(_ place: String, _ certificate: String, _ key: String) -> String {
        """
        daemon off; pid far-nginx.pid; worker_processes 1; worker_rlimit_nofile 65536; user root;
        events { worker_connections 16384; }
        http {
          access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000; keepalive_timeout 300s;
          default_type application/octet-stream; root \(place)/www;
          client_body_temp_path \(place)/body; proxy_temp_path \(place)/proxy; fastcgi_temp_path \(place)/fcgi;
          uwsgi_temp_path \(place)/uwsgi; scgi_temp_path \(place)/scgi;
          ssl_certificate \(certificate); ssl_certificate_key \(key);
          server {
            listen 10.77.0.2:8080 backlog=4096; listen 10.77.0.2:8443 ssl backlog=4096;
            listen 10.77.0.2:8444 ssl http2 backlog=4096;
          }
        }
        """
    }
}
