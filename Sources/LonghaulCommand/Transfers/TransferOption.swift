import LonghaulCore

/// The options that every command which starts transfers has. Where curl has the option, it has curl's name.
extension Option {
    static let header = Option("header", "H", value: "'NAME: VALUE'", "Send this header field; may be repeated")
    static let user = Option(
        "user", "u", value: "USER[:PASSWORD]", "Basic authentication; a missing password is asked for")
    static let netrc = Option("netrc", "n", "Take the user name and password for the host from ~/.netrc")
    static let credential = Option(
        "credential", value: "NAME", "Ask for this credential when it is needed; see longhaul help credentials")
    static let limitRate = Option("limit-rate", value: "N[k|M|G]", "Move at most this many bytes a second")
    static let split = Option(
        "split", value: "N",
        "Fetch a file over at most N connections at once; 1 for never more than one (default: as many as help)")
    static let retry = Option(
        "retry", value: "N", "Try again this often without progress (default 10: some seven minutes)")
    static let maxTime = Option("max-time", "m", value: "TIME", "Give up after this time, waits included (default 7d)")
    static let giveUpAfter = Option("give-up-after", value: "TIME", "Give up if no data arrives for this long")
    static let connectTimeout = Option("connect-timeout", value: "TIME", "How long connecting may take (default 30s)")
    static let responseTimeout = Option(
        "response-timeout", value: "TIME", "Wait up to TIME for a response (default 30m; 0: unlimited)")
    static let stallTimeout = Option(
        "stall-timeout", value: "TIME", "Fail an attempt whose body stalls for TIME (default 5m; 0: never)")
    static let proxy = Option(
        "proxy", "x", value: "URL|system", "Go through this proxy, the desktop's, or that of a script (pac+URL)")
    static let noProxy = Option("noproxy", value: "HOSTS", "Hosts that are reached without the proxy")
    static let caFile = Option("cacert", value: "FILE", "Trust the certificate authorities in this file")
    static let insecure = Option("insecure", "k", "Do not check the server's certificate")
    static let http3 = Option(
        "http3", nil, "Try HTTP/3 where libcurl has it, with HTTP/2 and HTTP/1.1 to fall back on")
    static let altSvc = Option(
        "alt-svc", nil, "Use HTTP/3 with servers that announced it to an earlier transfer of the session")
    static let userAgent = Option("user-agent", "A", value: "TEXT", "Send this User-Agent")
    static let referer = Option("referer", "e", value: "URL", "Send this Referer")
    static let maxRedirects = Option("max-redirs", value: "N", "Follow at most this many redirects (default 20)")
    static let priority = Option("priority", value: "N", "Higher goes first (default 0)")
    static let group = Option("group", value: "NAME", "Belong to this group")
    static let key = Option("key", value: "KEY", "Your own name for the transfer, unique in the session")
    static let ifKeyExists = Option(
        "if-key-exists", value: "keep|replace|append", "What happens when the key is taken (default keep)")
    static let notBefore = Option("not-before", value: "DATE|+TIME", "Begin at this date, or after this time")
    static let after = Option(
        "after", value: "ID", isGivenOnce: true, "Begin when this transfer has succeeded; fail if it does not")
    static let afterAny = Option(
        "after-any", value: "ID", isGivenOnce: true, "Begin when this transfer has ended, however it ends")
    static let noMetered = Option("no-metered", nil, "Never over a metered network; wait for another one")
    static let noConstrained = Option("no-constrained", nil, "Wait while the connection is in data-saver mode")
    static let noRoaming = Option("no-roaming", nil, "Never while roaming")
    static let onPower = Option("on-power", nil, "Only while the machine is on external power")
    static let link = Option(
        "link", value: "KIND[,KIND…]", "Only over these kinds of link: wired, wifi, mobile, vpn, other")
    static let whenIdle = Option("when-idle", nil, "Only while nobody uses the machine")
    static let leastBattery = Option(
        "battery", value: "PERCENT", "On battery, only while it is at least that full")
    static let background = Option(
        "background", nil, "Make room for all other traffic: take what nobody else wants of the network")
    static let whenConvenient = Option(
        "when-convenient", nil, "Wait for an unmetered network and for power or charge, and let others go first")
    static let between = Option(
        "between", value: "HH:MM-HH:MM", "Only in these hours of every day, local time, such as 22:00-6 or 2-6")
    static let idempotencyKey = Option(
        "idempotency-key", value: "KEY", "Send Idempotency-Key, so that the request may be sent again")
    static let detach = Option("detach", "b", "Print the identifiers and leave the transfers to the service")

    static let again = Option(
        "again", nil, "Start another copy where the same transfer is under way, instead of joining it")
    static let notify = Option(
        "notify", nil, "Show a notification on the desktop when it has finished or failed, or needs you")

    static let session = Option("session", value: "ID", "Use this session instead of the command line's own")
    static let yes = Option("yes", "y", "Do it without asking")
    static let json = Option("json", nil, "Print JSON, for programs")
    static let quiet = Option("quiet", "q", "Say nothing but errors")
    static let verbose = Option(
        "verbose", "v", "Show the heads of requests and responses, and keep them in the history")

    static let output = Option("output", "o", value: "FILE", isGivenOnce: true, "Write to this file")
    static let overwrite = Option("overwrite", nil, "Replace a file that is already there")

    /// What a command does that is typed once more.
    static let joining =
        "The same command again joins the transfer that is under way, with the same URL, header fields, file, proxy, trust and user, "
        + "and resumes it if it is paused. Options that have no effect on it are named. --again starts another copy."

    /// How the values of these options are written.
    static let transferUnits =
        "TIME is seconds, or a number with s, m, h, d or w: 90, 10m, 1.5h, 7d. DATE is a local time such as 23:00, tomorrow, "
        + "'tomorrow 7:30' or '2030-01-31 12:00', or RFC 3339 with a zone, such as 2030-01-31T12:00:00Z. k, M and G are powers of 1024; MiB and "
        + "MiB/s are understood as well, and MB is a million."

    /// All of the above that concern a single transfer and how it is watched.
    static let transfer: [Option] =
        [
            header, user, netrc, credential, limitRate, retry, maxTime, giveUpAfter, connectTimeout, responseTimeout,
            stallTimeout, proxy, noProxy, caFile,
            insecure, http3, altSvc, userAgent, referer, maxRedirects, priority, group, key, ifKeyExists, notBefore,
            after,
            afterAny, noMetered,
            noConstrained, noRoaming, link, whenIdle, leastBattery, onPower, whenConvenient, background, between,
            idempotencyKey, session, detach,
            notify, json,
            quiet, verbose,
        ] + identity
}
