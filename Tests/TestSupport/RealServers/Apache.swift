import Glibc
import LonghaulCore

/// A real Apache httpd, over the transport of its test: downloads from `/`, WebDAV with preconditions at `/dav/`, and
/// `/deflate/`, which compresses even ranges.
package final class Apache: Sendable {
    /// Why it cannot be used here; `nil` if it can.
    package static var missing: String? { ApacheInstance.missing }

    private let instance: ApacheInstance

    package init() throws {
        instance = try ApacheInstance(
            ApacheInstance.Setup(
                folders: ["dav", "deflate"],
                modules: ["mpm_event", "authz_core", "dav", "dav_fs", "deflate", "filter", "mime", "reqtimeout"],
                lines: { _ in Self.lines }))
    }

    deinit { instance.process.kill() }

    package func url(_ path: String) -> String { instance.url(path) }

    /// Serves a file; names may start with `dav/` or `deflate/`.
    package func serve(_ content: Content, as name: String) throws {
        try instance.directory.write(content, to: "www/\(name)")
        chmod(instance.directory.path("www/\(name)"), 0o644)
    }

    package var port: Int { instance.process.port }

    /// Sets the modification time of a served file to an hour ago.
    package func age(_ name: String) throws { try instance.directory.age("www/\(name)") }

    /// Returns a file that was uploaded to `/dav/`.
    package func uploaded(_ name: String) throws -> [UInt8] { try instance.directory.read("www/dav/\(name)") }

    package func stop() { instance.process.kill() }

    private static let lines = """
        RequestReadTimeout body=60,MinRate=1
        LimitRequestBody 0
        <Location /dav/>
            Dav On
        </Location>
        <Location /deflate/>
            SetOutputFilter DEFLATE
        </Location>

        """
}
