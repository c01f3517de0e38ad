/// How the service starts an app when its session has events or a task for it and the app is not running. Stored with the session.
public struct WakeRegistration: Equatable, Sendable {
    package var method: WakeMethod
    /// Whether the service starts the app (Apple: `sessionSendsLaunchEvents`). If `false`, the session's events wait until the
    /// app runs. A click on a notification starts the app all the same.
    package var sessionSendsLaunchEvents: Bool
    package var backoff: WakeBackoff

    package init(
        _ method: WakeMethod, sessionSendsLaunchEvents: Bool = true, backoff: WakeBackoff = WakeBackoff()
    ) {
        self.method = method
        self.sessionSendsLaunchEvents = sessionSendsLaunchEvents
        self.backoff = backoff
    }

    /// Starts the app by its name on the user's session bus: `org.freedesktop.Application.ActivateAction` (Desktop Entry
    /// Specification, D-Bus Activation). The action gets one parameter, the session's identifier as a string. If the app is
    /// running, its process gets the action.
    public static func dbus(
        appID: String, action: String = "transfers-finished", sessionSendsLaunchEvents: Bool = true
    ) -> WakeRegistration {
        WakeRegistration(
            .dbus(appID: appID, action: action), sessionSendsLaunchEvents: sessionSendsLaunchEvents)
    }

    /// Starts a service unit of the user's systemd. For a template (`photos@.service`), the instance is named after the session,
    /// so that the unit can set `Environment=LONGHAUL_SESSION=%i`. Any other unit must know its session.
    public static func systemdUnit(_ name: String, sessionSendsLaunchEvents: Bool = true) -> WakeRegistration {
        WakeRegistration(.systemdUnit(name), sessionSendsLaunchEvents: sessionSendsLaunchEvents)
    }

    /// Starts a program. The first argument is its absolute path. `LONGHAUL_SESSION` in its environment names the session. The
    /// arguments `{session}`, `{reason}`, `{transfer}`, `{task}` and `{notification}` are replaced by their values. If the user has
    /// a systemd, the program runs in a unit in `app.slice`, otherwise as a process.
    public static func command(_ arguments: [String], sessionSendsLaunchEvents: Bool = true) -> WakeRegistration {
        WakeRegistration(.command(arguments), sessionSendsLaunchEvents: sessionSendsLaunchEvents)
    }
}

/// How an app is started; see the factories of ``WakeRegistration``.
package enum WakeMethod: Equatable, Sendable {
    case dbus(appID: String, action: String = "transfers-finished")
    case systemdUnit(String)
    case command([String])
}

/// How soon the service starts an app again that does not acknowledge what it was started for.
///
/// Each start without an acknowledgement doubles the time until the next. An acknowledgement halves the number of doublings, and
/// time without a start slowly reduces it.
package struct WakeBackoff: Equatable, Sendable {
    /// The time from the first start to the second. Default 30 s.
    package var first: Duration
    /// The longest time between two starts. Default an hour.
    package var longest: Duration

    package init(first: Duration = .seconds(30), longest: Duration = .seconds(3_600)) {
        self.first = first
        self.longest = longest
    }
}
