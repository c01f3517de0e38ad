import LonghaulCore
package import LonghaulRuntime

/// The machine around a session that this process runs: clock, engine, and conditions.
package struct InProcessWorld: Sendable {
    package var environment: RuntimeEnvironment
    /// Returns the present conditions.
    package var report: @Sendable () -> ConditionsReport
    /// Called when the session is open. Later changes are reported to its runtime.
    package var opened: @Sendable (SessionRuntime) -> Void
    /// Called when the session needs no more reports, or could not be opened.
    package var closed: @Sendable () -> Void
    /// The system that can also run the session's exchanges; `nil` for none.
    package var lanes: CarrierLanes?
    /// Sets the attributes of a clone of a source file, given its path; `nil` if sources are read in place.
    package var prepareClone: (@Sendable (String) -> Void)?

    package init(
        environment: RuntimeEnvironment, report: @escaping @Sendable () -> ConditionsReport,
        opened: @escaping @Sendable (SessionRuntime) -> Void, closed: @escaping @Sendable () -> Void
    ) {
        self.environment = environment
        self.report = report
        self.opened = opened
        self.closed = closed
    }
}
