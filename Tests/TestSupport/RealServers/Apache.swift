import Glibc
import LonghaulCore

/// A real Apache httpd, over the transport of its test: downloads from `/`, WebDAV with preconditions at `/dav/`, and `/deflate/`, which compresses
/// even ranges.
package final class Apache: Sendable {
    /// Why it cannot be used here; `nil` when it can.
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

    /// Puts a file there to be downloaded; names may begin with `dav/` or `deflate/`.
    package func serve(_ content: Content, as name: String) throws {
        try instance.directory.write(content, to: "www/\(name)")
        chmod(instance.directory.path("www/\(name)"), 0o644)
    }

    package var port: Int { instance.process.port }

    /// Makes a served file look as if it had last been changed an hour ago.
    package func age(_ name: String) throws { try instance.directory.age("www/\(name)") }

    /// What was uploaded to `/dav/`.
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
