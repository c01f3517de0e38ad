/// The moments of a change of hands after which a test ends the process: each must be harmless.
package enum HandoffStep: String, CaseIterable, Sendable {
    /// The app waits for a transfer that should end in its process. This may happen several times.
    case staying
    /// The app knows that it does not stay any longer.
    case planned
    /// The service waits for the session.
    case announced
    /// The session is closed, and its lock free.
    case closed
    /// The session is watched through the service.
    case watching
    /// The service gave the session back.
    case released
    /// The session is open in this process.
    case opened
    /// The service waits again for the session, which is back in the app.
    case announcedAgain
}
