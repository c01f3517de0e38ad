/// The outcome of launching an app.
package enum WakeOutcome: Int, Equatable, Sendable {
    /// It was started, or runs already.
    case started = 0
    /// It is not installed, or was removed.
    case missing = 1
    /// There is no bus, or the app did not start, for instance without a display.
    case unreachable = 2
    /// The launcher refused to start it.
    case refused = 3
}

/// Why an app is not launched now.
package enum WakeHold: Int, Equatable, Sendable {
    /// It has not registered a launch method.
    case notRegistered = 0
    /// `sessionSendsLaunchEvents` is false.
    case launchEventsOff = 1
    /// No pending event requires a launch.
    case nothingToTell = 2
    /// It is attached.
    case attached = 3
    /// It is being launched.
    case waking = 4
    /// It was launched or attached recently; `nextWakeAt` is the next launch.
    case backingOff = 5
    /// An app runs the session, and not the service, which alone launches apps.
    case runByApp = 6
}

/// The stored facts about launches of an app. Written before each launch, so that a crash neither loses a launch nor repeats it.
package struct WakeRecord: Equatable, Sendable {
    /// Launches without an acknowledgement since, minus those that time and acknowledgements removed.
    package var unanswered: Int
    /// The total number of launches.
    package var total: Int
    /// The time of the last launch.
    package var lastWakeAt: WallTime?
    /// The outcome of the last launch; `nil` while it is unknown.
    package var outcome: WakeOutcome?
    /// The problem, for the user.
    package var message: String

    /// No launch yet.
    package init() {
        unanswered = 0
        total = 0
        message = ""
    }
}

/// The status of launching a session's app.
package struct WakeStatus: Equatable, Sendable {
    /// How the app is launched; `nil` if it has not registered.
    package var registration: WakeRegistration?
    /// The facts about earlier launches.
    package var record: WakeRecord
    /// The number of unacknowledged events.
    package var pendingEvents: Int
    /// Whether the app is attached.
    package var isAttached: Bool
    /// The next automatic launch.
    package var nextWakeAt: WallTime?
    /// Why it is not launched now; `nil` if it is about to be.
    package var hold: WakeHold?

    /// A session without events and without a registration.
    package init() {
        record = WakeRecord()
        pendingEvents = 0
        isAttached = false
        hold = .notRegistered
    }
}
