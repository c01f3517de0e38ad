/// Everything that a session's loop knows about its environment.
package struct Surroundings: Equatable, Sendable {
    package var conditions = Conditions()
    /// The user's limits for all sessions.
    package var traffic = TrafficLimits()
    /// The session's share of the common rate, in bytes per second; `nil` for no limit.
    package var rateShare: Int64?

    package init() {}
}
