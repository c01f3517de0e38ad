/// What came of starting an app.
package enum WakeOutcome: Int, Equatable, Sendable {
    /// It was started, or runs already.
    case started = 0
    /// It is not installed, or not any more.
    case missing = 1
    /// There is no bus to ask, or the app did not come up: without a display, for instance.
    case unreachable = 2
    /// Whoever was asked to start it refused.
    case refused = 3
}

/// Why an app is not started now.
package enum WakeHold: Int, Equatable, Sendable {
    /// It has not registered how.
    case notRegistered = 0
    /// `sessionSendsLaunchEvents` is false.
    case launchEventsOff = 1
    /// No event is left that it has to be started for.
    case nothingToTell = 2
    /// It is here.
    case attached = 3
    /// It is being started.
    case waking = 4
    /// It was started or seen a short while ago; `nextWakeAt` says when it is started again.
    case backingOff = 5
    /// The session is run by an app and not by the service, which alone starts apps.
    case runByApp = 6
}

/// What is remembered of starting an app. It is written before the app is started, so no crash forgets a start or makes
/// two of one.
package struct WakeRecord: Equatable, Sendable {
    /// How often it was started without acknowledging since; less what time and acknowledgements took off.
    package var unanswered: Int
    /// How often it was started in all.
    package var total: Int
    /// When it was started last.
    package var lastWakeAt: WallTime?
    /// What came of that; `nil` while it is not known.
    package var outcome: WakeOutcome?
    /// What was wrong, for a person.
    package var message: String

    /// Nothing yet.
    package init() {
        unanswered = 0
        total = 0
        message = ""
    }
}

/// How a session stands with starting its app.
package struct WakeStatus: Equatable, Sendable {
    /// How the app is started; `nil` when it has not registered.
    package var registration: WakeRegistration?
    /// What is remembered of earlier starts.
    package var record: WakeRecord
    /// How many events wait to be acknowledged.
    package var pendingEvents: Int
    /// Whether the app is here.
    package var isAttached: Bool
    /// When it is started next by itself.
    package var nextWakeAt: WallTime?
    /// Why it is not started now; `nil` when it is about to be.
    package var hold: WakeHold?

    /// A session without events and without a registration.
    package init() {
        record = WakeRecord()
        pendingEvents = 0
        isAttached = false
        hold = .notRegistered
    }
}
