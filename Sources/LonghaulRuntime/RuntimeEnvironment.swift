package import LonghaulCore

/// What a session's loop takes from the world. Tests give it a manual clock, seeded chance and a scripted engine.
package struct RuntimeEnvironment: Sendable {
    /// The wall clock.
    package var now: @Sendable () -> WallTime
    /// 64 random bits.
    package var random: @Sendable () -> UInt64
    /// Differs after every start of the machine (`/proc/sys/kernel/random/boot_id`).
    package var bootID: String
    /// What this process is to the session.
    package var ownerKind = SessionOwner.Kind.app
    /// Whether the session's app counts as away unless somebody is attached, also where it is this process: the system may have
    /// started it in the background.
    package var outlivesApp = false
    /// Makes the engine of one session, which may keep what it learns in that directory; its events go to the given sink, from
    /// any thread.
    package var makeEngine: @Sendable (SessionLayout, @escaping EngineSink) throws(TransferFailure) -> Engine
    /// The helper of sessions that have none of their own: a program with its arguments; empty for none.
    package var credentialHelper: [String] = []
    /// How a helper is called.
    package var makeHelper: @Sendable ([String]) -> any CredentialSource = { HelperSource(command: $0) }
    /// Starts a session's app and says what came of it, from any thread. `nil` in an app, which cannot be started while it
    /// is there.
    package var wake: (@Sendable (WakeOrder, @escaping @Sendable (WakeReport) -> Void) -> Void)?
    /// Shows a session's notifications, and says what becomes of them, from any thread, for as long as the session is
    /// open. `nil` where a notification would not stay when the app is gone.
    package var notify:
        (@Sendable (SessionID, NotificationOrder, @escaping @Sendable (NotificationNews) -> Void) -> Void)?
    /// What clocks show where the machine is.
    package var zone = TimeZoneRules.utc
    /// A date of `now`'s clock on the system's clock, by which the loop's thread waits. They are the same outside tests.
    package var onSystemClock: @Sendable (WallTime) -> WallTime = { $0 }
    /// What is around the session when it is opened; changes come through `SessionRuntime.note`.
    package var surroundings: @Sendable () -> Surroundings = { Surroundings() }
    /// What all sessions of the user took from their common budget; `nil` where there is none.
    package var userLedger: BudgetLedger?
    /// Tells how much of the common rate a session could use, from its loop's thread; `nil` where nobody divides it.
    package var reportDemand: (@Sendable (SessionID, RateDemand) -> Void)?
    /// How many transfers may run at once in this process, whatever the session's limits say.
    package var room = TransferRoom(capacity: .max, descriptors: .max)
    /// Asked before every commit and action; `false` kills the loop on the spot, as a power cut would. `nil` outside tests.
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

    /// What a session's machine knows of whoever runs it.
    func host(of session: SessionID?) -> SessionMachine.Host {
        SessionMachine.Host(kind: ownerKind, session: session, bootID: bootID, outlivesApp: outlivesApp)
    }
}

package typealias EngineSink = @Sendable ([(Ticket, EngineEvent)]) -> Void

/// A moment at which a crash test can kill the loop.
package enum LoopPoint: Equatable, Sendable {
    case beforeCommit
    case afterCommit
    case beforeAction
    case afterAction
}
