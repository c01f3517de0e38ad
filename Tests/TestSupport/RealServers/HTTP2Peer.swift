import Glibc
import LonghaulCore

/// A real HTTP/2 server over TLS. It serves files, and forwards paths that start with `/put/` or `/files/` to one of
/// the tests' own servers.
package final class HTTP2Peer: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case nginx
        case caddy
        case h2o
        /// nghttpd for files, and nghttpx in front of the other server.
        case nghttp
        /// HAProxy, with an nginx for the files.
        case haproxy
    }

    private let directory: TemporaryDirectory
    private let processes: [ServerProcess]
    private let files: Nginx?
    /// The URLs of files, and of forwarded requests.
    package let filesURL: String
    package let passedURL: String

    /// Why it cannot be used here; `nil` if it can.
    package static func missing(_ kind: Kind) -> String? {
        programs(kind).lazy.compactMap { Tools.missing(String($0.split(separator: "/").last ?? ""), $0) }.first
    }

    private static func programs(_ kind: Kind) -> [String] {
        switch kind {
        case .nginx: ["/usr/sbin/nginx", curl]
        case .caddy: ["/usr/bin/caddy", curl]
        case .h2o: ["/usr/bin/h2o", curl]
        case .nghttp: ["/usr/sbin/nghttpd", "/usr/sbin/nghttpx", curl]
        case .haproxy: ["/usr/sbin/haproxy", "/usr/sbin/nginx", curl]
        }
    }

    private static let curl = "/usr/bin/curl"

    /// `backend` is the port of the plain server that gets the forwarded requests.
    package init(_ kind: Kind, before backend: Int) throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("www")
        try directory.makeDirectory("tmp")
        try Certificates.shared.write(to: directory)
        let certificates = Certificates.shared
        try directory.write((certificates.certificate + certificates.key).utf8, to: "both.pem")
        let files = kind == .haproxy ? try Transport.$current.withValue(.http1) { try Nginx() } : nil
        let token = directory.path.split(separator: "-").last.map(String.init) ?? ""
        try directory.write(token.utf8, to: "www/ready")
        try files?.serve(Array(token.utf8), as: "ready")
        self.directory = directory
        self.files = files
        let place = HTTP2PeerCalls(directory: directory, backend: backend, files: files?.port ?? 0)
        let front = try ServerProcess.start(isReady: { Self.answers($0, "/ready", token, directory) }) { port in
            try place.call(kind, port)
        }
        filesURL = "https://127.0.0.1:\(front.port)/"
        guard kind == .nghttp else {
            processes = [front]
            passedURL = filesURL
            return
        }
        // It forwards all requests, so any response of the other server shows that the proxy is running.
        let proxy = try ServerProcess.start(isReady: { Self.answers($0, "/", "no such route", directory) }) { port in
            place.proxy(port)
        }
        processes = [front, proxy]
        passedURL = "https://127.0.0.1:\(proxy.port)/"
    }

    deinit {
        for process in processes { process.kill() }
    }

    /// Serves a file.
    package func serve(_ content: Content, as name: String) throws {
        try directory.write(content, to: "www/\(name)")
        try files?.serve(content, as: name)
    }

    private static func answers(_ port: Int, _ path: String, _ expected: String, _ directory: TemporaryDirectory)
        -> Bool
    {
        let words = ["-sS", "--http2", "--cacert", directory.path("ca.pem"), "https://127.0.0.1:\(port)\(path)"]
        // There is no response until the server listens.
        let result = try? ProgramCall(curl, words).run()
        return result?.output.contains(expected) == true
    }
}

/// The command lines and configurations of the servers.
struct HTTP2PeerCalls {
    let directory: TemporaryDirectory
    let backend: Int
    let files: Int

    func call(_ kind: HTTP2Peer.Kind, _ port: Int) throws -> ProgramCall {
        switch kind {
        case .nginx:
            try directory.write(nginx(port).utf8, to: "nginx.conf")
            return ProgramCall(
                "/usr/sbin/nginx", ["-e", "stderr", "-p", directory.path, "-c", directory.path("nginx.conf")])
        case .caddy:
            try directory.write(caddy(port).utf8, to: "Caddyfile")
            return ProgramCall(
                "/usr/bin/caddy", ["run", "--config", directory.path("Caddyfile"), "--adapter", "caddyfile"],
                environment: ["HOME": directory.path, "PATH": "/usr/bin:/bin"])
        case .h2o:
            try directory.write(h2o(port).utf8, to: "h2o.conf")
            return ProgramCall("/usr/bin/h2o", ["-m", "worker", "-c", directory.path("h2o.conf")])
        case .nghttp:
            let place = ["--address=127.0.0.1", "-d", directory.path("www")]
            return ProgramCall(
                "/usr/sbin/nghttpd", place + ["\(port)", directory.path("key.pem"), directory.path("cert.pem")])
        case .haproxy:
            try directory.write(haproxy(port).utf8, to: "haproxy.cfg")
            return ProgramCall("/usr/sbin/haproxy", ["-db", "-f", directory.path("haproxy.cfg")])
        }
    }

    func proxy(_ port: Int) -> ProgramCall {
        ProgramCall(
            "/usr/sbin/nghttpx",
            [
                "--conf=/dev/null", "--single-process", "--no-ocsp", "-f127.0.0.1,\(port)", "-b127.0.0.1,\(backend)",
                "--errorlog-file=/dev/stderr", directory.path("key.pem"), directory.path("cert.pem"),
            ])
    }

    private func nginx(_ port: Int) -> String {
        """
        \(Tools.isRoot ? "user root;" : "")
        daemon off;
        master_process off;
        pid \(directory.path)/nginx.pid;
        error_log stderr warn;
        events { worker_connections 1024; }
        http {
            access_log off;
            client_body_temp_path \(directory.path)/tmp/body;
            proxy_temp_path \(directory.path)/tmp/proxy;
            fastcgi_temp_path \(directory.path)/tmp/fastcgi;
            uwsgi_temp_path \(directory.path)/tmp/uwsgi;
            scgi_temp_path \(directory.path)/tmp/scgi;
            server {
                listen 127.0.0.1:\(port) ssl http2;
                ssl_certificate \(directory.path)/cert.pem;
                ssl_certificate_key \(directory.path)/key.pem;
                root \(directory.path)/www;
                client_max_body_size 0;
                location ~ ^/(put|files)/ {
                    proxy_pass http://127.0.0.1:\(backend);
                    proxy_http_version 1.1;
                    proxy_request_buffering off;
                }
            }
        }
        """
    }

    private func caddy(_ port: Int) -> String {
        """
        {
            admin off
            auto_https off
            servers {
                protocols h1 h2
            }
        }
        :\(port) {
            bind 127.0.0.1
            tls \(directory.path)/cert.pem \(directory.path)/key.pem
            @passed path /put/* /files/*
            reverse_proxy @passed 127.0.0.1:\(backend)
            root * \(directory.path)/www
            file_server
        }

        """
    }

    private func h2o(_ port: Int) -> String {
        """
        \(Tools.isRoot ? "user: root" : "")
        num-threads: 1
        error-log: /dev/stderr
        listen:
          host: 127.0.0.1
          port: \(port)
          ssl:
            certificate-file: \(directory.path)/cert.pem
            key-file: \(directory.path)/key.pem
        hosts:
          default:
            paths:
              /put:
                proxy.reverse.url: http://127.0.0.1:\(backend)/put
              /files:
                proxy.reverse.url: http://127.0.0.1:\(backend)/files
              /:
                file.dir: \(directory.path)/www

        """
    }

    private func haproxy(_ port: Int) -> String {
        """
        global
            maxconn 1000
        defaults
            mode http
            timeout connect 10s
            timeout client 60s
            timeout server 60s
        frontend all
            bind 127.0.0.1:\(port) ssl crt \(directory.path)/both.pem alpn h2
            use_backend passed if { path_beg /put/ } || { path_beg /files/ }
            default_backend files
        backend files
            server nginx 127.0.0.1:\(files)
        backend passed
            server tests 127.0.0.1:\(backend)

        """
    }
}
