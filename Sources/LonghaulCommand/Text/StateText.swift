import LonghaulCore

/// What a transfer is doing, in words.
enum StateText {
    /// One word for tables and for `--state`; the same words as in `--json`.
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

    /// The word for a state that lists show by another one.
    static func listed(_ word: String) -> String { word == "done" ? "succeeded" : word }

    /// Those of transfers that have ended.
    static let endedWords = ["succeeded", "failed", "cancelled"]
    static let liveWords = words.filter { !endedWords.contains($0) }
    /// Those of transfers for which another request may still be made.
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
        }
    }

    /// A phrase that says why nothing moves, or what moves.
    static func phrase(_ transfer: TransferSnapshot, in session: SessionID, now: WallTime) -> String {
        switch transfer.state {
        case .waiting(let waiting): phrase(waiting, transfer, session, now: now)
        case .running(.preparing): "preparing"
        case .running(.sending): "sending"
        case .running(.receiving):
            "receiving" + (transfer.losesBytesWhenStopped ? "; cannot be resumed: " + beginsAnew : "")
        case .running(.verifying): "checking"
        case .awaitingResponse: "sent, waiting for the server"
        case .paused: "paused; goes on with: \(session.hint("resume", transfer.id))"
        case .succeeded: "done"
        case .failed(let failure): "failed: " + sentence(failure)
        case .cancelled: "cancelled"
        }
    }

    /// What becomes of a transfer that cannot be resumed.
    static let beginsAnew = "after a pause or a break it begins anew"

    /// A failure's message, fit for a terminal and to be followed by more words.
    static func sentence(_ failure: TransferFailure) -> String {
        var text = DisplayText.clean(failure.message)
        while text.utf8.last == UInt8(ascii: ".") || text.utf8.last == UInt8(ascii: " ") { text.removeLast() }
        return text
    }

    private static func phrase(
        _ waiting: Waiting, _ transfer: TransferSnapshot, _ session: SessionID, now: WallTime
    ) -> String {
        let cause = waiting.failure.map { ": " + sentence(waiting.reason == .credentials ? $0 : $0.thatPasses) } ?? ""
        // First what a narrow terminal must not cut away.
        let attempt = "(attempt \(transfer.attempts + 1))"
        let again = waiting.until.map { "; tries again " + soon($0, now) + " " + attempt } ?? ""
        let retry = session.hint("retry", transfer.id)
        let anyway = "; goes on anyway with: " + session.hint("anyway", transfer.id)
        switch waiting.reason {
        case .turn: return "waiting for its turn: " + limit(transfer, until: waiting.until, retry, now)
        case .notBefore:
            let begins = waiting.until.map { "waiting: begins " + soon($0, now) } ?? "waiting for its date"
            return begins + "; at once with: " + retry
        case .serverBusy where waiting.isServerTime(at: now):
            let asked = waiting.retryAfter.map { " asked to wait " + HumanText.span($0 - now) } ?? ""
            return "waiting: " + host(transfer) + asked + again + cause
        case .retry, .serverBusy:
            return (waiting.until.map { "retry " + soon($0, now) + " " + attempt } ?? "waiting") + cause
        case .network: return "waiting for a network" + again + cause
        case .diskSpace: return "waiting for disk space" + again + cause
        case .mount: return "waiting for a mount" + again + cause
        case .credentials where waiting.failure == nil: return "waiting for credentials, which are being asked for"
        case .credentials:
            // What Longhaul advises gives them, and then it goes on by itself.
            if let failure = waiting.failure, failure.origin == .longhaul, let advice = failure.advice {
                return "waiting for credentials: " + DisplayText.clean(advice)
            }
            return "waiting for credentials" + cause + "; asks again with: " + retry
        case .metered: return "waiting for a network that is not metered" + anyway
        case .constrained: return "waiting: data saver is on" + anyway
        case .roaming: return "waiting for the end of roaming" + anyway
        case .power: return "waiting for external power" + anyway
        case .battery: return "waiting for a fuller battery" + anyway
        case .hours:
            return "waiting for its hours" + begins(waiting, now) + "; at once with: " + retry
        case .budget: return "waiting: the data budget is used up" + begins(waiting, now)
        case .sleep: return "waiting: the machine is about to sleep"
        case .link: return "waiting for another kind of link" + anyway
        case .idle: return "waiting until nobody uses the machine" + anyway
        case .clock: return "waiting: " + clock(waiting, transfer, now) + cause
        case .predecessor: return "waiting for the end of " + (transfer.predecessor.map(ShortID.text) ?? "another one")
        }
    }

    private static func begins(_ waiting: Waiting, _ now: WallTime) -> String {
        waiting.until.map { "; goes on " + soon($0, now) } ?? ""
    }

    private static func soon(_ date: WallTime, _ now: WallTime) -> String {
        date > now ? "in " + HumanText.span(date - now) : "now"
    }

    /// The time by the clock of this machine, and the first valid time of the certificate if it is known, in UTC.
    static func clock(_ waiting: Waiting, _ transfer: TransferSnapshot, _ now: WallTime) -> String {
        let says = "the clock of this machine says " + date(now)
        guard let validFrom = waiting.failure?.certificate?.validFrom, validFrom > now else { return says }
        return says + ", and the certificate of \(host(transfer)) is valid from " + date(validFrom)
    }

    private static func date(_ time: WallTime) -> String { CivilTime(secondsSince1970: time.seconds).text() }

    /// The host that a transfer has to do with, as a word in a sentence.
    static func host(_ transfer: TransferSnapshot) -> String {
        (try? TransferURL(parsing: transfer.url))?.host ?? "its host"
    }

    private static func limit(_ transfer: TransferSnapshot, until: WallTime?, _ retry: String, _ now: WallTime)
        -> String
    {
        switch transfer.turnLimit {
        case .total, .host, .group: fullLimit(transfer) + "; " + retry + " starts it now"
        case .heldHost:
            "\(host(transfer)) asked to be left alone" + (until.map { "; goes on " + soon($0, now) } ?? "")
                + "; tries now with: " + retry
        case nil: "others go first"
        }
    }

    /// The limit that keeps a transfer from its turn, with its number.
    static func fullLimit(_ transfer: TransferSnapshot) -> String {
        let transfers = transfer.turnLimitCount.map { HumanText.count($0, "transfer") } ?? "as many transfers"
        let verb = transfer.turnLimitCount == 1 ? "runs" : "run"
        return switch transfer.turnLimit {
        case .host: "\(transfers) with \(host(transfer)) \(verb), the limit per host"
        case .group: "\(transfers) of the group \(DisplayText.clean(transfer.group ?? "")) \(verb), its limit"
        case .total: "\(transfers) \(verb), the limit in total"
        case .heldHost: "\(host(transfer)) asked to be left alone"
        case nil: "others go first"
        }
    }
}

extension Waiting {
    /// Whether the time that the server stated has not passed. After it, only Longhaul's own back-off
    /// delays the transfer.
    func isServerTime(at now: WallTime) -> Bool { retryAfter.map { $0 > now } ?? false }
}

extension TransferFailure {
    /// The same where it is got over without a person: an answer's advice is to try again later, and that is what happens.
    var thatPasses: TransferFailure {
        var failure = self
        if case .status = origin { failure.advice = nil }
        return failure
    }
}
