extension TransferSession {
    /// How a session is opened. It is copied at the opening: later changes to the value do nothing.
    ///
    /// Build the same configuration at every launch. Only ``limits``, ``wake``, ``notifications`` and ``ownerLossPolicy`` are kept
    /// by the session itself.
    public struct Configuration: Sendable {
        /// Who moves the bytes.
        public var execution: Execution = .service
        /// How many transfers may run at once; `nil` leaves the limits that the session has (16 in all, 6 with one host,
        /// for a new one).
        public var limits: SessionLimits?
        /// Who goes on with an in-process session when its app leaves; `nil` for nobody. See
        /// ``TransferSession/follow(_:onHandoff:)``. In `.service` execution it means nothing.
        public var handoff: Handoff?
        /// What happens to the transfers when the app that runs them in its own process is ended by force; `nil` leaves what
        /// the session has (`goOn`, for a new one).
        public var ownerLossPolicy: OwnerLossPolicy?
        /// What a transfer begins with unless its call says otherwise.
        public var options = TransferOptions()
        /// How a transfer connects unless its call says otherwise.
        public var network = NetworkOptions()
        /// How the service starts this app when it is not there and the session has news for it; `nil` leaves what the
        /// session has. An in-process session keeps it for the time after this process.
        public var wake: WakeRegistration?
        /// What the service tells a person of this session, and how; `nil` leaves what the session has (nothing, for a new
        /// one). An in-process session keeps it for the time after this process.
        public var notifications: NotificationSettings?
        /// Where an in-process session is kept: an absolute path, the parent of `sessions/`. `nil` is
        /// `$XDG_STATE_HOME/longhaul`, which is where a service of the same user finds it.
        public var stateDirectory: String?
        /// Stands for the environment of this process; tests give each session a home of its own.
        package var environment: [String: String]?
        /// Called after each step of a change of hands; tests end the process there.
        package var handoffProbe: (@Sendable (HandoffStep) async -> Void)?
        /// Stands for the machine around an in-process session.
        package var world: InProcessWorld?

        /// The defaults: the service moves the bytes.
        public init() {}

        /// The defaults with another execution.
        public init(execution: Execution) {
            self.execution = execution
        }
    }

    /// Who moves the bytes of a session. What the calls mean does not depend on it.
    public enum Execution: Equatable, Sendable {
        /// The user's `longhauld`, which is started if it does not run. Transfers outlive this process.
        case service
        /// This process, for as long as it has the session open. What is left goes on at the next opening, or at once in
        /// the user's service: see ``Configuration/handoff``.
        case inProcess
    }
}
