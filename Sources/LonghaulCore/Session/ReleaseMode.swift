/// The condition for an owner to release a session.
package enum ReleaseMode: Int, Equatable, Sendable {
    /// Only if no active transfer would have to restart, or end with an unknown outcome.
    case whenHarmless = 0
    /// Always.
    case forced = 1
}
