import LonghaulCore

/// What there is to say about each reason to wait: the same reasons, in the same order, as in docs/states.md.
struct WaitAdvice {
    let waiting: Waiting
    let detail: TransferDetail
    let around: TransferSurroundings
    let session: SessionID
    let world: World

    var advice: Advice {
        switch waiting.reason {
        case .turn where transfer.turnLimit == .heldHost:
            Advice(
                cause:
                    "It waits for its turn: \(host) answered another transfer with Retry-After and asked for no requests before \(date ?? "a later time").",
                next:
                    "It begins then\(soon). It begins earlier when \(host) serves one that is tried by hand, or when none of those that it sent away is left.",
                remedies: [
                    "\(retry) tries now, against the server's wish; the others wait on.",
                    "\(session.hint("list")) --state waiting shows those that \(host) sent away: they wait for the server.",
                ])
        case .turn:
            Advice(
                cause: "It waits for its turn: \(StateText.fullLimit(transfer)).",
                next: "It starts when enough of those have ended, or when the limit is raised.",
                remedies: [
                    "\(retry) starts it now, beyond the limit.",
                    "\(session.hint("limits")) shows and raises the limits.",
                    "\(session.hint("pause")) or longhaul cancel takes others out of the way.",
                ])
        case .notBefore:
            Advice(
                cause: "It was asked not to begin before \(date ?? "a date").", next: "That date.",
                remedies: ["\(retry) begins now."])
        case .retry:
            Advice(
                cause: "Its last attempt broke in a way that may pass: \(failure).", next: again,
                remedies: [tryNow, "\(session.hint("cancel", transfer.id)) gives it up."])
        case .network where waiting.failure?.code == .nameLookupFailed:
            Advice(
                cause: "The address of the server is unknown: \(failure).", next: "It uses no retry. " + again,
                remedies: ["Check this machine's name servers: /etc/resolv.conf, or resolvectl status.", tryNow])
        case .network:
            Advice(
                cause: "There was no way to the server: \(failure).",
                next: "It goes on as soon as this machine has a network again. " + again,
                remedies: [
                    now.network == .captive
                        ? "The network wants a login first: open a browser and log in."
                        : "Connect this machine, or log in where a network asks for it.", tryNow,
                ])
        case .diskSpace:
            Advice(
                cause: "The disk is full: \(failure).", next: "It goes on when there is space. " + again,
                remedies: ["Free some space where \(transfer.path ?? "the file") is kept.", tryNow])
        case .mount:
            Advice(
                cause: "The directory of the file is not mounted: \(failure).",
                next: "It continues when it is mounted. " + again,
                remedies: [
                    "Connect the drive, or mount the share.", tryNow,
                    "\(session.hint("cancel", transfer.id)) ends it.",
                ])
        case .credentials:
            Advice(
                cause: detail.options.credential == nil
                    ? "The server or a proxy wants other credentials: \(failure)."
                    : "It needs a credential: \(failure).",
                next: "Nothing by itself: only a person has them.",
                remedies: credentialRemedies)
        case .serverBusy where waiting.isServerTime(at: world.now()):
            Advice(
                cause:
                    "\(host) asked for no requests before \(waiting.retryAfter.map(world.localTime) ?? "a later time"): \(failure).",
                next: again
                    + " The time after the server's is Longhaul's own. Other transfers with \(host) do not wait for it.",
                remedies: [
                    "\(retry) tries now, against the server's wish. When \(host) serves it, its other transfers continue too.",
                    "\(session.hint("cancel", transfer.id)) ends it. What \(host) asked of it then delays no other transfers.",
                ])
        case .serverBusy:
            Advice(
                cause:
                    "The time that \(host) asked for has passed; Longhaul waits longer after each failure: \(failure).",
                next: again, remedies: [tryNow, "\(session.hint("cancel", transfer.id)) ends it."])
        case .metered:
            conditions.network("metered", now.isExpensive, \.allowsExpensiveNetworkAccess)
        case .constrained:
            conditions.network("constrained", now.isConstrained, \.allowsConstrainedNetworkAccess)
        case .roaming:
            conditions.network("roaming", now.isRoaming, \.allowsRoaming)
        case .power, .battery: conditions.power
        case .link: conditions.link
        case .idle: conditions.idle
        case .hours: conditions.hours
        case .budget: conditions.budget
        case .sleep:
            Advice(
                cause: "The machine is about to sleep or to shut down.",
                next: "It goes on when the machine is awake again.",
                remedies: ["Wake the machine."])
        case .clock:
            Advice(
                cause: "It waits, since " + StateText.clock(waiting, transfer, world.now()) + ": \(failure).",
                next: "It continues when the clock is set. " + again,
                remedies: [
                    "Set the clock; timedatectl set-ntp true keeps it right.", tryNow,
                    "\(session.hint("cancel", transfer.id)) ends it.",
                ])
        case .predecessor:
            Advice(
                cause: "It begins after the transfer \(predecessor), which has not ended.",
                next: transfer.followsFailure
                    ? "That one's end, whatever it is." : "That one's success; if it fails, this one fails with it.",
                remedies: ["\(session.hint("doctor", transfer.predecessor)) tells how that one stands."])
        }
    }

    private var credentialRemedies: [String] {
        let again = "If they are right again, \(retry)."
        guard let name = detail.options.credential else {
            return ["\(retry) -u USER asks for the password and goes on.", again]
        }
        return [
            "\(session.hint("credentials give")) \(name) \(transfer.url) -u USER gives it, and the transfer goes on.",
            "\(session.hint("credentials helper")) -- COMMAND names a program that is asked for it from then on.",
            again,
        ]
    }

    private var transfer: TransferSnapshot { detail.snapshot }

    private var now: Conditions { around.conditions.effective }

    private var conditions: ConditionAdvice {
        ConditionAdvice(detail: detail, around: around, waiting: waiting, session: session, world: world)
    }

    private var retry: String { session.hint("retry", transfer.id) }

    private var predecessor: String { transfer.predecessor.map(ShortID.text) ?? "that it follows" }

    private var tryNow: String { "\(retry) tries now." }

    private var failure: String {
        waiting.failure.map { failure in
            // What to do stands by itself.
            var told = failure.thatPasses
            if waiting.reason == .credentials { told.advice = nil }
            return StateText.sentence(told) + " [\(failure.code.rawValue)]"
        } ?? "it did not say more"
    }

    private var date: String? { waiting.until.map(world.localTime) }

    private var host: String { StateText.host(transfer) }

    private var soon: String {
        guard let until = waiting.until, until > world.now() else { return "" }
        return ", in \(HumanText.span(until - world.now()))"
    }

    private var again: String {
        guard let date else { return "It is tried again." }
        return "It is tried again at \(date)\(soon): attempt \(transfer.attempts + 1)."
    }
}
