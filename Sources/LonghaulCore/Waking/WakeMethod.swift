/// How an app is started when its session has news for it and the app is not there.
public enum WakeMethod: Equatable, Sendable {
    /// By its name on the user's session bus: `org.freedesktop.Application.ActivateAction` (Desktop Entry
    /// Specification, D-Bus Activation). The action gets one parameter, the session's identifier as a string. An app that
    /// runs already gets the action in its process.
    case dbus(appID: String, action: String = "transfers-finished")
    /// By starting a service unit of the user's systemd. An instance of a template (`photos@.service`) is named after
    /// the session, so that the unit can say `Environment=LONGHAUL_SESSION=%i`; any other unit has to know its session.
    case systemdUnit(String)
    /// By running a program: the first argument is its absolute path. It finds the session in `LONGHAUL_SESSION`, and
    /// in place of each argument that is `{session}`, `{reason}`, `{transfer}`, `{task}` or
    /// `{notification}`. Where the user has a
    /// systemd the program runs as a unit of its own in `app.slice`, else as a process of its own.
    case command([String])
}

/// How often an app is started again when it does not acknowledge what it was started for.
///
/// Each start that is not followed by an acknowledgement doubles the time until the next. An acknowledgement halves how
/// often it has been doubled, and so does time without a start, little by little.
public struct WakeBackoff: Equatable, Sendable {
    /// How long an app has from its first start to acknowledge, before it is started again. Default 30 s.
    public var first: Duration
    /// The longest time between two starts. Default an hour.
    public var longest: Duration

    /// The defaults, or other times.
    public init(first: Duration = .seconds(30), longest: Duration = .seconds(3_600)) {
        self.first = first
        self.longest = longest
    }
}

/// How a session's app is started, and whether. It is kept with the session until it is changed.
public struct WakeRegistration: Equatable, Sendable {
    /// How the app is started.
    public var method: WakeMethod
    /// Whether it is started at all (Apple: `sessionSendsLaunchEvents`). With `false` the session's events wait until
    /// the app is started by somebody else.
    public var sessionSendsLaunchEvents: Bool
    /// How often it is started again when it does not acknowledge.
    public var backoff: WakeBackoff

    /// Registers a way to start the app.
    public init(
        _ method: WakeMethod, sessionSendsLaunchEvents: Bool = true, backoff: WakeBackoff = WakeBackoff()
    ) {
        self.method = method
        self.sessionSendsLaunchEvents = sessionSendsLaunchEvents
        self.backoff = backoff
    }
}
