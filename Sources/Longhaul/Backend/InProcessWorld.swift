import LonghaulCore
package import LonghaulRuntime

/// The replacement for this machine in tests: clock, servers, and conditions.
package struct InProcessWorld: Sendable {
    package var environment: RuntimeEnvironment
    package var conditions: @Sendable () -> Conditions
    /// Called when the session is open. Later changes are reported to its runtime.
    package var opened: @Sendable (SessionRuntime) -> Void
    /// Called when the session needs no more reports.
    package var closed: @Sendable () -> Void
    /// The system that can also run the session's exchanges; `nil` for none.
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
