package import Testing

/// Reasons for `scripts/test` to run a suite again.
extension Tag {
    /// The behavior depends on libcurl's version.
    @Tag package static var libcurl: Self
    /// Bodies may bypass libcurl (`BodyPathRule`), and the suite itself does not run on each path.
    @Tag package static var directPath: Self
}
