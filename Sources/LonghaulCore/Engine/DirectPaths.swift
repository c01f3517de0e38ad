/// Which bodies pass by libcurl: the engine then moves them itself, on libcurl's connections.
///
/// That rests on what libcurl does inside, which it promises to nobody. So each path is taken only with versions it was
/// tested with, and all bodies go through any other libcurl, which is slower and right as well.
package struct DirectPaths: Equatable, Sendable {
    /// Whether long bodies of plain HTTP are read from libcurl's connection by the engine.
    package var receives: Bool
    /// Whether long files are sent on libcurl's connection by `sendfile`.
    package var sends: Bool

    /// Takes every value.
    package init(receives: Bool, sends: Bool) {
        self.receives = receives
        self.sends = sends
    }

    /// All bodies go through libcurl.
    package static let none = DirectPaths(receives: false, sends: false)

    /// The paths for a version of libcurl.
    ///
    /// - Parameters:
    ///   - version: The version as libcurl tells it, such as `8.14.1`.
    ///   - choice: What the environment variable `LONGHAUL_PATHS` says: `plain` leaves everything to libcurl.
    package init(libcurl version: String, choice: String?) {
        self = choice == "plain" ? .none : Self.tested(with: version)
    }

    /// What the whole test suite has run with: see `scripts/test`.
    package static func tested(with version: String) -> DirectPaths {
        switch version {
        case "7.88.1", "8.14.1": DirectPaths(receives: true, sends: true)
        default: .none
        }
    }

    /// The environment variable with which a person chooses.
    package static let variable = "LONGHAUL_PATHS"
}
