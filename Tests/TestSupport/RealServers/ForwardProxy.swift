import Glibc
import LonghaulCore

/// A real Apache httpd as a forward proxy: it forwards plain requests, and connects clients to TLS servers.
package final class ForwardProxy: Sendable {
    /// Why it cannot be used here; `nil` if it can.
    package static var missing: String? { ApacheInstance.missing }

    private let directory: TemporaryDirectory
    private let process: ServerProcess

    /// Uses a free port, or the port of another proxy that was stopped.
    package init(port: Int? = nil) throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("state")
        chmod(directory.path("state"), 0o777)
        chmod(directory.path, 0o755)
        self.directory = directory
        process = try ServerProcess.start(port: port, request: "GET /", expecting: "Apache") { port in
            try directory.write(Self.configuration(directory.path, port).utf8, to: "httpd.conf")
            return ApacheInstance.call(["-X", "-f", directory.path("httpd.conf")])
        }
    }

    deinit { process.kill() }

    /// Ends the proxy at once, with all its connections.
    package func stop() { process.kill() }

    package var port: Int { process.port }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// The methods of the requests that the proxy has finished; `CONNECT` for a tunnel.
    package var methods: [String] {
        // The log is missing before the first request.
        let log = (try? directory.read("state/log")) ?? []
        return String(decoding: log, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func configuration(_ directory: String, _ port: Int) -> String {
        let modules = ["mpm_event", "authz_core", "setenvif", "proxy", "proxy_http", "proxy_connect"].map {
            "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so"
        }
        return modules.joined(separator: "\n") + """

            ServerRoot \(directory)
            ServerLimit 1
            StartServers 1
            ThreadLimit 200
            ThreadsPerChild 200
            MaxRequestWorkers 200
            ServerName 127.0.0.1
            Listen 127.0.0.1:\(port)
            PidFile \(directory)/state/pid
            DefaultRuntimeDir \(directory)/state
            ErrorLog \(directory)/state/errors
            SetEnvIf Request_URI "^/$" own
            LogFormat "%m" method
            CustomLog \(directory)/state/log method env=!own
            LimitRequestBody 0
            ProxyRequests On
            AllowCONNECT 1-65535

            """
    }
}
