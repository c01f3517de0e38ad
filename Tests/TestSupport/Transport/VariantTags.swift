package import Testing

/// What makes `scripts/test` run a suite again.
extension Tag {
    /// The behavior depends on libcurl's version.
    @Tag package static var libcurl: Self
    /// Bodies may leave libcurl and take another path (`BodyPathRule`), and the suite itself does not run on each path.
    @Tag package static var directPath: Self
}
