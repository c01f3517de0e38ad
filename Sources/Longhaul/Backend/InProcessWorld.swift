import LonghaulCore
package import LonghaulRuntime

/// What an in-process session has in the place of this machine: a test's clock, servers and conditions.
package struct InProcessWorld: Sendable {
    package var environment: RuntimeEnvironment
    package var conditions: @Sendable () -> Conditions
    /// The session is open; its world tells it when something changes.
    package var opened: @Sendable (SessionRuntime) -> Void
    /// Nothing is to be told any more.
    package var closed: @Sendable () -> Void
    /// Who else can carry its exchanges; `nil` for nobody.
    package var lanes: CarrierLanes?

    package init(
        environment: RuntimeEnvironment, conditions: @escaping @Sendable () -> Conditions,
        opened: @escaping @Sendable (SessionRuntime) -> Void, closed: @escaping @Sendable () -> Void
    ) {
        self.environment = environment
        self.conditions = conditions
        self.opened = opened
        self.closed = closed
    }
}
