/// All that a session's loop knows of what is around it.
package struct Surroundings: Equatable, Sendable {
    package var conditions = Conditions()
    /// The person's limits for all sessions.
    package var traffic = TrafficLimits()
    /// The session's part of the rate for all sessions, in bytes a second; `nil` for no limit.
    package var rateShare: Int64?

    package init() {}
}
