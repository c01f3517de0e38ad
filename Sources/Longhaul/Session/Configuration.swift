extension TransferSession {
    /// The settings that a session is opened with. ``open(_:configuration:)`` copies the value; later changes have no effect.
    ///
    /// Build the same configuration at each launch. The session itself stores only ``rules``, ``wake``, ``notifications``, and
    /// ``ownerLossPolicy``.
    public struct Configuration: Sendable {
        /// The process that transfers the bytes.
        public var execution: Execution
        /// The session's rules and limits; `nil` keeps the stored ones.
        public var rules: SessionRules?
        /// The policy for the transfers of an app that is killed while it runs them in its own process; `nil` keeps the stored policy,
        /// at first `resume`.
        public var ownerLossPolicy: OwnerLossReport.Policy?
        /// The options of a transfer whose call passes none.
        public var options = TransferOptions()
        /// The network options of a transfer whose call passes none.
        public var network = NetworkOptions()
        /// How the service starts this app when the session has events for it; `nil` keeps the stored registration.
        public var wake: WakeRegistration?
        /// The notifications that the service shows about this session; `nil` keeps the stored settings, at first no notifications.
        public var notifications: NotificationSettings?
        /// Replaces the environment of this process; tests give each session its own home.
        package var environment: [String: String]?
        /// Called after each step of a handoff; tests kill the process there.
        package var handoffProbe: (@Sendable (HandoffStep) async -> Void)?
        /// Replaces the machine around an in-process session.
        package var world: InProcessWorld?

        /// Creates the default configuration: the service transfers the bytes.
        public init(execution: Execution = .service) {
            self.execution = execution
        }
    }

    /// The process that transfers the bytes of a session. The calls of the session behave alike in each case.
    ///
    /// On Apple systems, `AppSession` of `LonghaulApple` replaces this choice. Without it, opening fails with `invalidArgument`.
    @nonexhaustive public enum Execution: Equatable, Sendable {
        /// The user's `longhauld`, which is started if necessary. Transfers outlive this process.
        case service
        /// This process while it has the session open. Unfinished transfers resume when it opens the session again. The directory, by
        /// default `$XDG_STATE_HOME/longhaul`, is an absolute path and contains the session's files.
        case inProcess(stateDirectory: String? = nil)
        /// This process while the app is in the foreground, and the service after it leaves. See ``TransferSession/follow(_:onHandoff:)``.
        ///
        /// When the app returns to a session that the service runs, it takes the transfers back, unless that would lose bytes or a
        /// response. If `takesOver` is `false`, the service keeps them, and the app watches.
        case handoff(takesOver: Bool = true)
    }
}
