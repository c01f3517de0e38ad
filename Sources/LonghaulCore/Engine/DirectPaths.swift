/// The bodies that bypass libcurl: the engine transfers them itself, on libcurl's connections.
///
/// This relies on internals that libcurl does not guarantee. Each path is used only with the versions of libcurl that it was tested
/// with. With other versions all bodies go through libcurl, which is slower but correct.
package struct DirectPaths: Equatable, Sendable {
    /// Whether long bodies of plain HTTP are read from libcurl's connection by the engine.
    package var receives: Bool
    /// Whether long files are sent on libcurl's connection by `sendfile`.
    package var sends: Bool

    /// Initializes every value.
    package init(receives: Bool, sends: Bool) {
        self.receives = receives
        self.sends = sends
    }

    /// All bodies go through libcurl.
    package static let none = DirectPaths(receives: false, sends: false)

    /// Returns the paths for a version of libcurl.
    ///
    /// - Parameters:
    ///   - version: The version that libcurl reports, such as `8.14.1`.
    ///   - choice: The value of the environment variable `LONGHAUL_PATHS`: `plain` leaves everything to libcurl.
    package init(libcurl version: String, choice: String?) {
        self = choice == "plain" ? .none : Self.tested(with: version)
    }

    /// The paths for versions that passed the whole test suite: see `scripts/test`.
    package static func tested(with version: String) -> DirectPaths {
        switch version {
        case "7.88.1", "8.14.1": DirectPaths(receives: true, sends: true)
        default: .none
        }
    }

    /// The environment variable with the user's choice.
    package static let variable = "LONGHAUL_PATHS"
}
