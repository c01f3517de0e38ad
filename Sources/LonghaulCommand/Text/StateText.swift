import LonghaulCore

/// The state of a transfer, in words.
enum StateText {
    /// The word of a state in `--json`.
    static func word(_ state: TransferState) -> String {
        switch state {
        case .waiting: "waiting"
        case .running: "running"
        case .awaitingResponse: "awaitingResponse"
        case .paused: "paused"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    static let words = ["waiting", "running", "awaitingResponse", "paused", "succeeded", "failed", "cancelled"]

    /// The words of `--state` that are not separate states in `--json`.
    static let phaseWords = ["preparing", "sending", "receiving", "verifying"]

    /// The state as lists and `top` show it.
    static func shown(_ state: TransferState) -> String {
        switch state {
        case .waiting: tr("waiting")
        case .running(.preparing): tr("preparing")
        case .running(.sending): tr("sending")
        case .running(.receiving): tr("receiving")
        case .running(.verifying): tr("verifying")
        case .awaitingResponse: tr("awaiting response")
        case .paused: tr("paused")
        case .succeeded: tr("succeeded")
        case .failed: tr("failed")
        case .cancelled: tr("cancelled")
        }
    }

    /// The words for transfers that have ended.
    static let endedWords = ["succeeded", "failed", "cancelled"]
    static let liveWords = words.filter { !endedWords.contains($0) }
    /// The words for transfers that may still send a request.
    static let openWords = words.filter { $0 != "succeeded" }

    static func word(_ phase: TransferState.Phase) -> String {
        switch phase {
        case .preparing: "preparing"
        case .sending: "sending"
        case .receiving: "receiving"
        case .verifying: "verifying"
        }
    }

    static func word(_ reason: Waiting.Reason) -> String {
        switch reason {
        case .turn: "turn"
        case .notBefore: "notBefore"
        case .retry: "retry"
        case .network: "network"
        case .diskSpace: "diskSpace"
        case .credentials: "credentials"
        case .serverBusy: "serverBusy"
        case .metered: "metered"
        case .constrained: "constrained"
        case .roaming: "roaming"
        case .power: "power"
        case .battery: "battery"
        case .hours: "hours"
        case .budget: "budget"
        case .sleep: "sleep"
        case .predecessor: "predecessor"
        case .link: "link"
        case .idle: "idle"
        case .clock: "clock"
        case .mount: "mount"
        case .unlock: "unlock"
        }
    }

    /// The state with the reason for a wait, as a phrase without a period.
    static func phrase(_ transfer: TransferSnapshot, in session: SessionID, now: WallTime) -> String {
        switch transfer.state {
        case .waiting(let waiting): phrase(waiting, transfer, session, now: now)
        case .running(.receiving) where transfer.losesBytesWhenStopped:
            tr("receiving; cannot be resumed: \(beginsAnew)")
        case .paused: tr("paused; resume with: \(session.hint("resume", transfer.id))")
        case .failed(let failure): tr("failed: \(sentence(failure))")
        case .running, .awaitingResponse, .succeeded, .cancelled: shown(transfer.state)
        }
    }

    /// The consequence of an interruption of a transfer that cannot be resumed.
    static var beginsAnew: String { tr("restarts from the beginning if paused or interrupted") }

    /// The message of a failure, safe for a terminal, with short transfer IDs and without its final period.
    static func sentence(_ failure: TransferFailure) -> String {
        var text = DisplayText.clean(failure.translated.message)
        while text.utf8.last == UInt8(ascii: ".") || text.utf8.last == UInt8(ascii: " ") { text.removeLast() }
        return ShortID.shortening(text)
    }

    private static func phrase(
        _ waiting: Waiting, _ transfer: TransferSnapshot, _ session: SessionID, now: WallTime
    ) -> String {
        let cause = waiting.failure.map { ": " + sentence(waiting.reason == .credentials ? $0 : $0.thatPasses) } ?? ""
        // A narrow terminal cuts off the end.
        let again = waiting.until.map { "; " + retry(at: $0, transfer, now) } ?? ""
        let command = session.hint("retry", transfer.id)
        let anyway = "; " + tr("continue now with: \(session.hint("anyway", transfer.id))")
        switch waiting.reason {
        case .turn: return turn(transfer, until: waiting.until, command, now)
        case .notBefore:
            let start =
                waiting.until.map { tr("waiting for its start time, in \(HumanText.span($0 - now))") }
                ?? tr("waiting for its start time")
            return start + "; " + tr("start now with: \(command)")
        case .serverBusy where waiting.isServerTime(at: now):
            let span = waiting.retryAfter.map { HumanText.span($0 - now) } ?? ""
            return tr("waiting: \(host(transfer)) requested a pause of \(span)") + again + cause
        case .retry, .serverBusy:
            return (waiting.until.map { retry(at: $0, transfer, now) } ?? tr("waiting to retry")) + cause
        case .network: return tr("waiting for a network") + again + cause
        case .diskSpace: return tr("waiting for disk space") + again + cause
        case .mount: return tr("waiting for a file system to be mounted") + again + cause
        case .unlock: return tr("waiting for the device to be unlocked") + again + cause
        case .credentials where waiting.failure == nil: return tr("waiting for credentials, which are being requested")
        case .credentials:
            // The advice ends the wait, which needs no retry then.
            if let failure = waiting.failure, failure.origin == .longhaul, let advice = failure.advice {
                return tr("waiting for credentials") + ": " + DisplayText.clean(advice)
            }
            return tr("waiting for credentials") + cause + "; " + tr("try again with: \(command)")
        case .metered: return tr("waiting for a network that is not metered") + anyway
        case .constrained: return tr("waiting for the end of data-saver mode") + anyway
        case .roaming: return tr("waiting for the end of roaming") + anyway
        case .power: return tr("waiting for external power") + anyway
        case .battery: return tr("waiting for the battery to charge") + anyway
        case .hours:
            return tr("waiting for its allowed hours") + resumption(waiting, now) + "; "
                + tr("start now with: \(command)")
        case .budget: return tr("waiting: the data budget is used up") + resumption(waiting, now) + anyway
        case .sleep: return tr("waiting: the machine is about to sleep")
        case .link: return tr("waiting for an allowed kind of link") + anyway
        case .idle: return tr("waiting for the machine to be idle") + anyway
        case .clock: return tr("waiting: \(clock(waiting, transfer, now))") + cause
        case .predecessor:
            return transfer.predecessor.map { tr("waiting for transfer \(ShortID.text($0))") }
                ?? tr("waiting for another transfer")
        }
    }

    private static func resumption(_ waiting: Waiting, _ now: WallTime) -> String {
        waiting.until.map { date in
            "; " + (date > now ? tr("continues in \(HumanText.span(date - now))") : tr("continues now"))
        } ?? ""
    }

    private static func retry(at date: WallTime, _ transfer: TransferSnapshot, _ now: WallTime) -> String {
        let attempt = attempt(transfer)
        return date > now ? tr("retry in \(HumanText.span(date - now)) (\(attempt))") : tr("retry now (\(attempt))")
    }

    /// The next attempt, and the last one if none makes progress.
    static func attempt(_ transfer: TransferSnapshot) -> String {
        let next = transfer.attempts + 1
        guard let left = transfer.attemptsLeft else { return tr("attempt \(next)") }
        return tr("attempt \(next) of \(transfer.attempts + max(1, left))")
    }

    /// The time of this machine, and the start of the certificate's validity if it is known, in UTC.
    static func clock(_ waiting: Waiting, _ transfer: TransferSnapshot, _ now: WallTime) -> String {
        let time = date(now)
        guard let validFrom = waiting.failure?.certificate?.validFrom, validFrom > now else {
            return tr("the clock of this machine shows \(time)")
        }
        return tr(
            "the clock of this machine shows \(time), and the certificate of \(host(transfer)) is valid from \(date(validFrom))"
        )
    }

    private static func date(_ time: WallTime) -> String { CivilTime(secondsSince1970: time.seconds).text() }

    /// The host of a transfer, for a sentence.
    static func host(_ transfer: TransferSnapshot) -> String {
        (try? TransferURL(parsing: transfer.url))?.host ?? tr("the host")
    }

    private static func turn(
        _ transfer: TransferSnapshot, until: WallTime?, _ command: String, _ now: WallTime
    ) -> String {
        let reason = tr("waiting: \(fullLimit(transfer))")
        switch transfer.turnLimit {
        case .total, .host, .group: return reason + "; " + tr("start now with: \(command)")
        case .heldHost:
            let waiting = Waiting(.turn, since: now, until: until)
            return reason + resumption(waiting, now) + "; " + tr("retry now with: \(command)")
        case nil: return reason
        }
    }

    /// The limit that keeps a transfer waiting.
    static func fullLimit(_ transfer: TransferSnapshot) -> String {
        let (count, host) = (transfer.turnLimitCount, host(transfer))
        switch transfer.turnLimit {
        case .host: return count.map { tr("limit of \($0) per host \(host)") } ?? tr("limit per host \(host)")
        case .group:
            let group = DisplayText.clean(transfer.group ?? "")
            return count.map { tr("limit of \($0) for the group \(group)") } ?? tr("limit of the group \(group)")
        case .total: return count.map { tr("limit of \($0) in total") } ?? tr("limit in total")
        case .heldHost: return tr("\(host) requested a pause (Retry-After)")
        case nil: return tr("other transfers go first")
        }
    }
}

extension Waiting {
    /// Whether the time that the server stated has not passed. After it, only Longhaul's own back-off
    /// delays the transfer.
    func isServerTime(at now: WallTime) -> Bool { retryAfter.map { $0 > now } ?? false }

    /// Whether the transfer waits because its user set a start time, conditions, or a budget.
    var isScheduled: Bool {
        switch reason {
        case .notBefore, .hours, .metered, .constrained, .roaming, .power, .battery, .budget, .link, .idle,
            .predecessor:
            true
        case .turn, .retry, .network, .diskSpace, .credentials, .serverBusy, .sleep, .clock, .mount, .unlock: false
        }
    }
}

extension TransferFailure {
    /// The failure without the advice to try again later, for a wait in which Longhaul does that.
    var thatPasses: TransferFailure {
        var failure = self
        if case .status = origin { failure.advice = nil }
        return failure
    }
}
