import LonghaulCore

/// The cause of a wait, its end, and remedies, for each reason in `docs/reference/states-and-reasons.md`.
struct WaitAdvice {
    let waiting: Waiting
    let detail: TransferDetail
    let around: TransferSurroundings
    let session: SessionID
    let world: World

    var advice: Advice {
        switch waiting.reason {
        case .turn where transfer.turnLimit == .heldHost: heldHost
        case .turn:
            Advice(
                cause: tr("The transfer waits for a slot: \(StateText.fullLimit(transfer))."),
                next: tr("It starts when enough other transfers have ended, or when you raise the limit."),
                remedies: [
                    tr("To start it now, beyond the limit, run \(retry)."),
                    tr("To show and change the limits, run \(session.hint("limits"))."),
                ])
        case .notBefore:
            Advice(
                cause: date.map { tr("The transfer has a start time: \($0).") } ?? tr("The transfer has a start time."),
                next: tr("It starts at that time."), remedies: [tr("To start it now, run \(retry).")])
        case .retry:
            Advice(
                cause: tr("The last attempt failed: \(failure)."), next: again, remedies: [retryNow, cancel])
        case .network where waiting.failure?.code == .nameLookupFailed:
            Advice(
                cause: tr("Could not resolve the address of the server: \(failure)."),
                next: tr("This wait uses no retry.") + " " + again,
                remedies: [tr("Check the name servers of this machine: run resolvectl status."), retryNow])
        case .network: network
        case .diskSpace:
            Advice(
                cause: tr("The disk is full: \(failure)."),
                next: tr("The transfer continues when there is space.") + " " + again,
                remedies: [
                    transfer.path.map { tr("Free some space on the disk of \($0).") }
                        ?? tr("Free some space on the disk."), retryNow,
                ])
        case .mount:
            Advice(
                cause: tr("The file system of the file is not mounted: \(failure)."),
                next: tr("The transfer continues when it is mounted.") + " " + again,
                remedies: [tr("Connect the drive, or mount the share."), retryNow, cancel])
        case .unlock:
            Advice(
                cause: tr("The device is locked: \(failure)."),
                next: tr("The transfer continues when it is unlocked.") + " " + again,
                remedies: [tr("Unlock the device."), retryNow])
        case .credentials: credentials
        case .serverBusy: serverBusy
        case .metered: conditions.network("metered", now.isExpensive, \.allowsExpensiveNetworkAccess)
        case .constrained: conditions.network("constrained", now.isConstrained, \.allowsConstrainedNetworkAccess)
        case .roaming: conditions.network("roaming", now.isRoaming, \.allowsRoaming)
        case .power, .battery: conditions.power
        case .link: conditions.link
        case .idle: conditions.idle
        case .hours: conditions.hours
        case .budget: conditions.budget
        case .sleep:
            Advice(
                cause: tr("The machine is about to sleep or to shut down."),
                next: tr("The transfer continues when the machine wakes."), remedies: [tr("Wake the machine.")])
        case .clock: clock
        case .predecessor: predecessor
        }
    }

    private var heldHost: Advice {
        Advice(
            cause: date.map {
                tr("\(host) responded to another transfer with Retry-After: no requests before \($0).")
            } ?? tr("\(host) responded to another transfer with Retry-After."),
            next: tr("The transfer starts at that time, or as soon as \(host) serves another transfer."),
            remedies: [
                tr("To try now, despite Retry-After, run \(retry). Other transfers keep waiting."),
                tr("To list the transfers that \(host) put off, run \(session.hint("list")) --state waiting."),
            ])
    }

    private var network: Advice {
        Advice(
            cause: tr("The server was unreachable: \(failure)."),
            next: tr("The transfer continues as soon as this machine has a network.") + " " + again,
            remedies: [
                now.network == .captive
                    ? tr("This network requires a login. Open a browser and log in.")
                    : tr("Connect this machine to a network."), retryNow,
            ])
    }

    private var credentials: Advice {
        guard let name = detail.options.credential else {
            return Advice(
                cause: tr("The server or a proxy requires other credentials: \(failure)."),
                next: tr("Nothing happens until you add credentials."),
                remedies: (hasNetrc
                    ? [tr("~/.netrc has a login for \(host). To use it, submit the transfer with -n.")] : [])
                    + [
                        tr("To log in and continue, run \(retry) -u USER."),
                        tr("To try the same credentials again, run \(retry)."),
                    ])
        }
        return Advice(
            cause: tr("The transfer needs a credential: \(failure)."),
            next: tr("Nothing happens until you provide the credential."),
            remedies: [
                tr("To provide it, run \(session.hint("credentials give")) \(name) \(transfer.url) -u USER."),
                tr("To set a program that provides credentials, run \(session.hint("credentials helper")) -- COMMAND."),
                tr("To request the credential again, run \(retry)."),
            ])
    }

    private var hasNetrc: Bool {
        guard waiting.failure?.origin == .status(401), let host = (try? TransferURL(parsing: transfer.url))?.host else {
            return false
        }
        // Without a readable file there is no login.
        return (try? Netrc(world))?.authorization(for: host) != nil
    }

    private var serverBusy: Advice {
        guard waiting.isServerTime(at: world.now()), let end = waiting.retryAfter.map(world.localTime) else {
            return Advice(
                cause: tr("The time that \(host) requested has passed. The wait grows after each failure: \(failure)."),
                next: again, remedies: [retryNow, cancel])
        }
        return Advice(
            cause: tr("\(host) requested no requests before \(end): \(failure)."),
            next: again + " " + tr("Other transfers with \(host) do not wait for the time after that."),
            remedies: [
                tr(
                    "To try now, despite Retry-After, run \(retry). If \(host) serves it, its other transfers continue too."
                ),
                tr(
                    "To give up, run \(session.hint("cancel", transfer.id)). Other transfers then stop waiting for \(host)."
                ),
            ])
    }

    private var clock: Advice {
        Advice(
            cause: tr("The clock of this machine may be wrong: \(StateText.clock(waiting, transfer, world.now())).")
                + " " + tr("The last attempt failed: \(failure)."),
            next: tr("The transfer continues when the clock is set.") + " " + again,
            remedies: [tr("Set the clock. To keep it right, run timedatectl set-ntp true."), retryNow, cancel])
    }

    private var predecessor: Advice {
        let name = transfer.predecessor.map(ShortID.text)
        return Advice(
            cause: name.map { tr("The transfer starts after transfer \($0), which has not ended.") }
                ?? tr("The transfer starts after another one, which has not ended."),
            next: transfer.followsFailure
                ? tr("It starts when that transfer ends, even if it fails.")
                : tr("It starts when that transfer succeeds. If that transfer fails, this one fails too."),
            remedies: [tr("For the state of that transfer, run \(session.hint("doctor", transfer.predecessor)).")])
    }

    private var transfer: TransferSnapshot { detail.snapshot }

    private var now: Conditions { around.conditions.effective }

    private var conditions: ConditionAdvice {
        ConditionAdvice(detail: detail, around: around, waiting: waiting, session: session, world: world)
    }

    private var retry: String { session.hint("retry", transfer.id) }

    private var retryNow: String { tr("To try now, run \(retry).") }

    private var cancel: String { tr("To give up, run \(session.hint("cancel", transfer.id)).") }

    private var failure: String {
        waiting.failure.map { failure in
            // Remedies have separate lines.
            var shown = failure.thatPasses
            if waiting.reason == .credentials { shown.advice = nil }
            return StateText.sentence(shown)
        } ?? tr("no details are known")
    }

    private var date: String? { waiting.until.map(world.localTime) }

    private var host: String { StateText.host(transfer) }

    private var again: String {
        let attempt = StateText.attempt(transfer)
        guard let until = waiting.until, let date else { return tr("Longhaul retries automatically.") }
        guard until > world.now() else { return tr("Longhaul retries now (\(attempt)).") }
        return tr("Longhaul retries at \(date), in \(HumanText.span(until - world.now())) (\(attempt)).")
    }
}
