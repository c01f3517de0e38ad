package import LonghaulCore

/// The environment of a session's loop. Tests pass a manual clock, seeded randomness, and a scripted engine.
package struct RuntimeEnvironment: Sendable {
    /// The wall clock.
    package var now: @Sendable () -> WallTime
    /// The time since the boot of the machine, including sleep: the wall clock was set if it differs from `now`. `nil` if `now` is not
    /// the clock of this machine.
    package var sinceBoot: (@Sendable () -> Duration)?
    /// 64 random bits.
    package var random: @Sendable () -> UInt64
    /// Differs after every boot of the machine (`/proc/sys/kernel/random/boot_id`).
    package var bootID: String
    /// The kind of owner that this process is.
    package var ownerKind = SessionOwner.Kind.app
    /// Whether the app counts as away unless a client is attached, even if it is this process: the system may have started the app
    /// in the background.
    package var outlivesApp = false
    /// Makes the engine of one session, which may keep learned data in that directory. Its events go to the given sink, from any
    /// thread.
    package var makeEngine: @Sendable (SessionLayout, @escaping EngineSink) throws(TransferFailure) -> Engine
    /// The directories that stored paths are relative to.
    package var anchors = PathAnchors.none
    /// The helper of sessions without their own: a program with its arguments; empty for none.
    package var credentialHelper: [String] = []
    /// Makes a helper from its command.
    package var makeHelper: @Sendable ([String]) -> any CredentialSource = { HelperSource(command: $0) }
    /// Starts a session's app and reports the outcome, from any thread. `nil` in an app, which cannot be started while it runs.
    package var wake: (@Sendable (WakeOrder, @escaping @Sendable (WakeReport) -> Void) -> Void)?
    /// Shows a session's notifications and reports their changes, from any thread, while the session is open. `nil` if
    /// notifications would disappear when the app ends.
    package var notify:
        (@Sendable (SessionID, NotificationOrder, @escaping @Sendable (NotificationEvent) -> Void) -> Void)?
    /// The time zone of the machine.
    package var zone = TimeZoneRules.utc
    /// Converts a time of `now`'s clock to the system's clock, on which the loop's thread waits. They differ only in tests.
    package var onSystemClock: @Sendable (WallTime) -> WallTime = { $0 }
    /// The surroundings at the session's opening; changes come through `SessionRuntime.update`.
    package var surroundings: @Sendable () -> Surroundings = { Surroundings() }
    /// The common budget of the user's sessions; `nil` if there is none.
    package var userLedger: BudgetLedger?
    /// Reports how much of the common rate a session could use, from its loop's thread; `nil` if there is no common rate.
    package var reportDemand: (@Sendable (SessionID, RateDemand) -> Void)?
    /// Reports that a session has nothing to do from now on, from its loop's thread.
    package var reportIdle: (@Sendable (SessionID) -> Void)?
    /// How many transfers may run at once in this process, whatever the session's limits are.
    package var room = TransferSlots(capacity: .max, descriptors: .max)
    /// Called before every commit and action; `false` kills the loop at once, as a power failure would. `nil` outside tests.
    package var survives: (@Sendable (LoopPoint) -> Bool)?

    package init(
        now: @escaping @Sendable () -> WallTime, random: @escaping @Sendable () -> UInt64, bootID: String,
        survives: (@Sendable (LoopPoint) -> Bool)? = nil,
        makeEngine: @escaping @Sendable (SessionLayout, @escaping EngineSink) throws(TransferFailure) -> Engine
    ) {
        self.now = now
        self.random = random
        self.bootID = bootID
        self.survives = survives
        self.makeEngine = makeEngine
    }

    /// Returns the facts about this process that a session's machine needs.
    func host(of session: SessionID?) -> SessionMachine.Host {
        SessionMachine.Host(kind: ownerKind, session: session, bootID: bootID, outlivesApp: outlivesApp)
    }
}

package typealias EngineSink = @Sendable ([(Ticket, EngineEvent)]) -> Void

/// A point at which a crash test can kill the loop.
package enum LoopPoint: Equatable, Sendable {
    case beforeCommit
    case afterCommit
    case beforeAction
    case afterAction
}
