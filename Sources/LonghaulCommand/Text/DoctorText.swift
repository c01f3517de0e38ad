import LonghaulCore

/// Why a transfer is where it is, and what would move it: in sentences, for a person. It is made of what `show` and
/// `history` tell, which hold no secrets.
struct DoctorText {
    /// A sentence or two, and what they are about.
    struct Line: Equatable, Sendable {
        enum Topic: String, Equatable, Sendable {
            /// What it does, and since when.
            case state
            /// Why.
            case cause
            /// What moves it by itself.
            case next
            /// A failure of the past.
            case failure
            /// What a person can do.
            case remedy
            /// One of the places that a download comes from.
            case mirror
        }

        var topic: Topic
        var text: String

        init(_ topic: Topic, _ text: String) {
            self.topic = topic
            self.text = text
        }
    }

    let detail: TransferDetail
    let history: [HistoryEntry]
    var around = TransferSurroundings()
    let session: SessionID
    let world: World

    var lines: [Line] {
        let remarks = ConditionAdvice.remarks(detail, around, in: session).map { Line(.cause, $0) }
        let connections = detail.connections.map { [Line(.cause, ConnectionText.sentence($0))] } ?? []
        let mirrors = detail.mirrors.map { Line(.mirror, MirrorText.sentence($0)) }
        return [stateLine] + stateAdvice.lines + connections + remarks + mirrors + failures
    }

    private var transfer: TransferSnapshot { detail.snapshot }

    /// A command about this transfer.
    private func hint(_ command: String) -> String { session.hint(command, transfer.id) }

    private var stateLine: Line {
        let isEnded = transfer.state.isEnded
        let since =
            since.map { moment in
                let span = HumanText.span(world.now() - moment) + (isEnded ? " ago" : "")
                return " \(isEnded ? "at" : "since") \(world.localTime(moment)) (\(span))"
            } ?? ""
        return Line(.state, "\(transfer.name) \(Self.verb(transfer.state))\(since).")
    }

    /// What a transfer in this state is doing, as the rest of a sentence that begins with its name.
    private static func verb(_ state: TransferState) -> String {
        switch state {
        case .waiting: "has been waiting"
        case .running(.preparing): "has been preparing an attempt"
        case .running(.sending): "has been sending"
        case .running(.receiving): "has been receiving"
        case .running(.verifying): "has been checking what it received"
        case .awaitingResponse: "has been waiting for the server's answer"
        case .paused: "has been paused"
        case .succeeded: "finished"
        case .failed: "failed"
        case .cancelled: "was cancelled"
        }
    }

    private var since: WallTime? {
        if case .waiting(let waiting) = transfer.state { return waiting.since }
        return transfer.endedAt ?? history.last?.at ?? transfer.startedAt
    }

    private var stateAdvice: Advice {
        switch transfer.state {
        case .waiting(let waiting):
            WaitAdvice(waiting: waiting, detail: detail, around: around, session: session, world: world).advice
        case .running: runningAdvice
        case .awaitingResponse:
            Advice(
                cause: "Everything has left, and the server has not answered yet.",
                next:
                    "The server's answer ends it. If the connection breaks first, it is sent again only where repeating is safe.",
                remedies: ["\(hint("cancel")) stops waiting; the server may still act on what it has got."])
        case .paused:
            Advice(
                cause: "Somebody paused it, or its app was ended and the session pauses then.",
                next: "Nothing, until it is resumed; its time limit goes on.",
                remedies: ["\(hint("resume")) goes on from \(HumanText.bytes(transfer.bytesDone))."])
        case .succeeded:
            Advice(
                cause: transfer.path.map { "It is at \($0)." } ?? "The server took it.", next: "Nothing: it is over.",
                remedies: ["\(hint("remove")) forgets it; a finished file stays."])
        case .failed(let failure):
            Advice(
                cause: StateText.sentence(failure) + " [\(failure.code.rawValue)].",
                next: "Nothing, by itself" + (detail.notRetriedBecause.map { ": " + RetryEndText.phrase($0) } ?? "")
                    + ".",
                remedies: [remedy(for: failure), "\(hint("remove")) forgets it."])
        case .cancelled:
            Advice(
                cause: "Somebody cancelled it.", next: "Nothing.",
                remedies: ["\(hint("retry")) begins again.", "\(hint("remove")) forgets it."])
        }
    }

    private func remedy(for failure: TransferFailure) -> String {
        switch (failure.code, failure.origin) {
        case (_, .status(401)):
            "\(hint("retry")) -u USER asks for the password and goes on."
        case (_, .status(403)), (_, .status(410)):
            "\(hint("replace-url")) URL gives it a URL that is still good, and it goes on."
        case (.certificateRejected, _) where failure.certificate != nil:
            "\(hint("trust")) shows what the server showed, and how its key is accepted; until then nothing is sent to it."
        case (.certificateRejected, _):
            "When the certificate is mended, \(hint("retry")) goes on; until then nothing is sent to that server."
        default: retrying
        }
    }

    /// What `retry` does with a failed transfer.
    private var retrying: String {
        let retry = hint("retry")
        if detail.notRetriedBecause == .mightRepeat {
            return "Ask the server whether it was done. If it was not, \(retry) sends it again."
        }
        return switch transfer.direction {
        case .download where transfer.bytesDone > 0: "\(retry) goes on from the last safe byte."
        case .download: "\(retry) tries it again."
        case .upload: "\(retry) sends it again, or only what is missing if the server can tell that (tus)."
        case .request: "\(retry) sends it again."
        }
    }

    private var runningAdvice: Advice {
        let total = transfer.bytesTotal.map { " of \(HumanText.bytes($0))" } ?? ""
        let rate = transfer.rate > 0 ? ", at \(HumanText.rate(transfer.rate))" : ", and nothing moves at this moment"
        return Advice(
            cause: "Attempt \(transfer.attempts) has \(HumanText.bytes(transfer.bytesDone))\(total)\(rate).",
            next: transfer.losesBytesWhenStopped
                ? "It ends by itself. It cannot be resumed: what breaks begins anew."
                : "It ends by itself. What breaks is tried again from the last safe byte.",
            remedies: [
                transfer.losesBytesWhenStopped
                    ? "\(hint("watch")) follows it; \(hint("pause")) loses what has been moved."
                    : "\(hint("pause")) stops it there; \(hint("watch")) follows it."
            ])
    }

    /// The last failures, newest first.
    private var failures: [Line] {
        let told = history.filter { entry in
            entry.event == "failed" || entry.event == "restarted" || entry.event == "ownerLost"
                || entry.event == "waiting" && entry.detail.contains(" after ")
        }
        return told.suffix(3).reversed().map { entry in
            Line(.failure, "\(world.localTime(entry.at)): \(entry.event), \(entry.detail)")
        }
    }
}

/// What there is to say about a state.
struct Advice {
    var cause: String
    var next: String
    var remedies: [String]

    var lines: [DoctorText.Line] {
        [DoctorText.Line(.cause, cause), DoctorText.Line(.next, "What moves it: " + next)]
            + remedies.map { DoctorText.Line(.remedy, "What you can do: " + $0) }
    }
}
