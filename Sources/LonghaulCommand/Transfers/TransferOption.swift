import LonghaulCore

/// Options of every command that starts transfers. An option that curl has too has curl's name.
extension Option {
    static let header = Option("header", "H", value: "'NAME: VALUE'", "Add a request header; repeatable")
    static let userAgent = Option("user-agent", "A", value: "TEXT", "Send TEXT as the User-Agent header")
    static let referer = Option("referer", "e", value: "URL", "Send URL as the Referer header")
    static let idempotencyKey = Option(
        "idempotency-key", value: "KEY", "Send Idempotency-Key: \"KEY\", so the request can be retried")
    static let maxRedirects = Option("max-redirs", value: "N", "Follow at most N redirects (default: 20)")
    static let http3 = Option("http3", nil, "Try HTTP/3 first; fall back to HTTP/2 and HTTP/1.1")
    static let altSvc = Option(
        "alt-svc", nil, "Use HTTP/3 with servers that announced it to the session")

    static let user = Option(
        "user", "u", value: "USER[:PASSWORD]", "Log in (Basic); prompts for a missing password")
    static let netrc = Option("netrc", "n", "Read the user name and password from ~/.netrc")
    static let credential = Option(
        "credential", value: "NAME", "Use the credential NAME; see longhaul help credentials")

    static let caFile = Option("cacert", value: "FILE", "Trust the certificate authorities in FILE")
    static let insecure = Option("insecure", "k", "Accept any server certificate without verification")
    static let proxy = Option(
        "proxy", "x", value: "URL|system", "Use this proxy, a pac+URL script, or the system settings")
    static let noProxy = Option("noproxy", value: "HOSTS", "Connect to HOSTS without a proxy")

    static let limitRate = Option(
        "limit-rate", value: "RATE", "Limit the speed to RATE bytes/s, such as 2M")
    static let split = Option(
        "split", value: "N", "Use at most N connections (default: auto)")
    static let retry = Option(
        "retry", value: "N", "Retry N times without progress (default: 10)")
    static let maxTime = Option(
        "max-time", "m", value: "TIME", "Fail if not finished within TIME (default: 7d)")
    static let giveUpAfter = Option("give-up-after", value: "TIME", "Fail after TIME without progress")
    static let connectTimeout = Option(
        "connect-timeout", value: "TIME", "Wait up to TIME to connect (default: 30s)")
    static let responseTimeout = Option(
        "response-timeout", value: "TIME", "Wait up to TIME for a response (default: 30m; 0: unlimited)")
    static let stallTimeout = Option(
        "stall-timeout", value: "TIME", "Fail an attempt whose body stalls for TIME (default: 5m; 0: never)")

    static let notBefore = Option(
        "not-before", value: "WHEN", "Start no earlier than WHEN, such as 23:00 or +10m")
    static let between = Option(
        "between", value: "HH:MM-HH:MM", "Run only between these local times, such as 22:00-6:00")
    static let noMetered = Option("no-metered", nil, "Wait while the network is metered")
    static let noRoaming = Option("no-roaming", nil, "Wait while roaming")
    static let link = Option(
        "link", value: "KIND[,KIND…]", "Use only these links: wired, wifi, mobile, vpn, other")
    static let onPower = Option("on-power", nil, "Run only on external power")
    static let leastBattery = Option(
        "battery", value: "PERCENT", "Require PERCENT charge while on battery")
    static let whenIdle = Option("when-idle", nil, "Run only while the machine is idle")
    static let whenConvenient = Option(
        "when-convenient", nil, "Wait for power and an unmetered network; implies --yield")
    static let yielding = Option("yield", nil, "Yield bandwidth to all other traffic")

    static let detach = Option("detach", "b", "Run in the background; print the IDs and exit")
    static let priority = Option(
        "priority", value: "N", "Set the queue priority; higher starts first (default: 0)")
    static let group = Option("group", value: "NAME", "Add the transfers to group NAME")
    static let after = Option(
        "after", value: "ID", isGivenOnce: true, "Start after transfer ID succeeds; fail if ID fails")
    static let afterAny = Option(
        "after-any", value: "ID", isGivenOnce: true, "Start after transfer ID ends, even if it fails")
    static let key = Option("key", value: "KEY", "Name the transfer KEY, unique in the session")
    static let ifKeyExists = Option(
        "if-key-exists", value: "keep|replace", "Join or replace the transfer named KEY (default: keep)")
    static let again = Option("again", nil, "Start a separate transfer instead of joining an identical one")
    static let session = Option("session", value: "ID", "Use session ID instead of the command line's own")

    static let notify = Option(
        "notify", nil, "Show a desktop notification when a transfer ends or needs you")
    static let quiet = Option("quiet", "q", "Print only errors")
    static let verbose = Option(
        "verbose", "v", "Print request and response headers; keep them in the history")
    static let json = Option("json", nil, "Print one JSON object per line")
    static let yes = Option("yes", "y", "Do not ask for confirmation")

    static let output = Option(
        "output", "o", value: "FILE", isGivenOnce: true, "Save as FILE; - writes to standard output")
    static let overwrite = Option("overwrite", nil, "Replace an existing file")

    /// Explains what a repeated command does.
    static let joining =
        "The same command again joins the transfer instead of starting another one, and resumes it if it is paused. "
        + "The URL, headers, file, proxy, trust, and login must be the same. The command lists options that a joined "
        + "transfer ignores. To start another copy, use --again."

    /// Explains which transfers a repeated command joins, for the reference.
    static let joined =
        "The limits, priority, retries, time limits, and group of a repeated command apply to the joined transfer, and so "
        + "does the start time before the transfer starts. If the repeated command has conditions such as `--between`, they "
        + "replace those of the transfer. Otherwise the transfer keeps its conditions and its start time, and the command "
        + "prints why it waits and how to start it now, even with `-q`. Ended transfers are not joined. Neither are "
        + "requests, standard input, other copied sources, and transfers with another key."

    /// Explains the values of these options.
    static let transferUnits =
        "TIME is seconds, or a number with s, m, h, d, or w: 90, 10m, 1.5h, 7d. WHEN is a local time such as 23:00, "
        + "tomorrow, 'tomorrow 7:30', or '2030-01-31 12:00', or RFC 3339 with a zone, or +TIME from now. RATE is bytes "
        + "per second; k, M, and G are powers of 1024, MiB is the same, and MB is a million bytes."

    /// All options of the groups for a transfer.
    static let transfer: [Option] = OptionGroup.transfer.flatMap(\.options)
}
