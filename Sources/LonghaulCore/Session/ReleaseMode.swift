/// How hard an owner is asked to give a session up.
package enum ReleaseMode: Int, Equatable, Sendable {
    /// Not while a transfer is under way that would begin anew, or whose outcome would stay unknown.
    case whenHarmless = 0
    /// In any case.
    case forced = 1
}
