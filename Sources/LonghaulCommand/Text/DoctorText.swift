import LonghaulCore

/// Explains the state of a transfer to the user: cause, next step, past failures, and remedies. The input, `show` and `history`,
/// contains no secrets.
struct DoctorText {
    /// One or two sentences, and their topic.
    struct Line: Equatable, Sendable {
        enum Topic: String, Equatable, Sendable {
            /// The state, and its start.
            case state
            case cause
            /// The event that ends the state automatically.
            case next
            /// A failure of the past.
            case failure
            /// An action of the user.
            case remedy
            /// One of the sources of a download.
            case mirror
        }

        var topic: Topic
        var text: String
        /// The code of the failure in the text.
        var code: String?

        init(_ topic: Topic, _ text: String, code: String? = nil) {
            self.topic = topic
            self.text = text
            self.code = code
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
        var lines = [Line(.state, state)] + stateLines + connections + remarks
        // Mirrors and attempts often fail for the same reason, which is printed once.
        func isKnown(_ sentence: String) -> Bool { lines.contains { $0.text.contains(sentence) } }
        for mirror in detail.mirrors { lines.append(Line(.mirror, MirrorText.sentence(mirror, isKnown))) }
        for failure in failures where !isKnown(failure.message) { lines.append(failure.line) }
        return lines
    }

    private var transfer: TransferSnapshot { detail.snapshot }

    /// A command about this transfer.
    private func hint(_ command: String) -> String { session.hint(command, transfer.id) }

    private var state: String {
        let name = transfer.name
        guard let since else { return tr("\(name): \(StateText.shown(transfer.state)).") }
        let (time, span) = (world.localTime(since), HumanText.span(world.now() - since))
        return transfer.state.isEnded
            ? tr("\(name): \(StateText.shown(transfer.state)) at \(time) (\(span) ago).")
            : tr("\(name): \(StateText.shown(transfer.state)) since \(time) (\(span)).")
    }

    private var since: WallTime? {
        if case .waiting(let waiting) = transfer.state { return waiting.since }
        return transfer.endedAt ?? history.last?.at ?? transfer.startedAt
    }

    private var stateLines: [Line] {
        var lines = stateAdvice.lines
        switch transfer.state {
        case .failed(let failure): lines[0].code = failure.code.rawValue
        case .waiting(let waiting): lines[0].code = waiting.failure?.code.rawValue
        case .running, .awaitingResponse, .paused, .succeeded, .cancelled: break
        }
        return lines
    }

    private var stateAdvice: Advice {
        switch transfer.state {
        case .waiting(let waiting):
            WaitAdvice(waiting: waiting, detail: detail, around: around, session: session, world: world).advice
        case .running: runningAdvice
        case .awaitingResponse:
            Advice(
                cause: tr("Everything was sent, and the server has not responded yet."),
                next: tr(
                    "The transfer is complete when the server responds. If the connection is lost before, Longhaul repeats the request only if that is safe."
                ),
                remedies: [tr("To stop waiting, run \(hint("cancel")). The server may still process the request.")])
        case .paused:
            Advice(
                cause: tr("The transfer was paused, or its app exited and the session pauses its transfers then."),
                next: tr("Nothing happens until you resume it. Its time limit keeps running."),
                remedies: [tr("To resume it from \(HumanText.bytes(transfer.bytesDone)), run \(hint("resume")).")])
        case .succeeded:
            Advice(
                cause: transfer.path.map { tr("The file is \($0).") } ?? tr("The server accepted the request."),
                next: tr("The transfer is complete."),
                remedies: [tr("To forget it, run \(hint("remove")). A downloaded file remains.")])
        case .failed(let failure):
            Advice(
                cause: StateText.sentence(failure).asSentence,
                next: detail.notRetriedBecause.map { tr("Longhaul does not retry it: \(RetryEndText.phrase($0)).") }
                    ?? tr("Longhaul does not retry it."),
                remedies: [remedy(for: failure), tr("To forget it, run \(hint("remove")).")])
        case .cancelled:
            Advice(
                cause: tr("The transfer was cancelled."), next: tr("Nothing happens."),
                remedies: [
                    tr("To start it again, run \(hint("retry"))."), tr("To forget it, run \(hint("remove"))."),
                ])
        }
    }

    private func remedy(for failure: TransferFailure) -> String {
        switch (failure.code, failure.origin) {
        case (_, .status(401)): tr("To log in and continue, run \(hint("retry")) -u USER.")
        case (_, .status(403)), (_, .status(410)):
            tr("To continue with another URL, run \(hint("replace-url")) URL.")
        case (.certificateRejected, _) where failure.certificate != nil:
            tr(
                "To show the certificate and accept its key, run \(hint("trust")). Until then, Longhaul sends nothing to the server."
            )
        case (.certificateRejected, _):
            tr("When the certificate is fixed, run \(hint("retry")). Until then, Longhaul sends nothing to the server.")
        default: retrying
        }
    }

    /// The effect of `retry` on a failed transfer.
    private var retrying: String {
        let retry = hint("retry")
        if detail.notRetriedBecause == .mightRepeat {
            return tr("Check on the server whether the request was processed. If not, run \(retry) to send it again.")
        }
        return switch transfer.direction {
        case .download where transfer.bytesDone > 0: tr("To resume it from the last synced byte, run \(retry).")
        case .download: tr("To try again, run \(retry).")
        case .upload: tr("To send it again, or only the missing bytes with tus, run \(retry).")
        case .request: tr("To send it again, run \(retry).")
        }
    }

    private var runningAdvice: Advice {
        let done = HumanText.bytes(transfer.bytesDone)
        let rate = HumanText.rate(transfer.rate)
        let cause =
            transfer.bytesTotal.map {
                tr("Attempt \(transfer.attempts): \(done) of \(HumanText.bytes($0)), \(rate).")
            } ?? tr("Attempt \(transfer.attempts): \(done), \(rate).")
        let watch = tr("To follow it, run \(hint("watch")).")
        return transfer.losesBytesWhenStopped
            ? Advice(
                cause: cause,
                next: tr("The transfer cannot be resumed: after an interruption it restarts from the beginning."),
                remedies: [watch, tr("To pause it, which loses its progress, run \(hint("pause")).")])
            : Advice(
                cause: cause, next: tr("After an interruption, it resumes from the last byte saved to disk."),
                remedies: [watch, tr("To pause it, run \(hint("pause")).")])
    }

    /// The last failures, newest first, and their messages without a final period.
    private var failures: [(line: Line, message: String)] {
        let failures = history.filter { entry in
            entry.event == "failed" || entry.event == "restarted" || entry.event == "ownerLost"
                || entry.event == "waiting" && entry.detail.contains(" after ")
        }
        return failures.suffix(3).reversed().map { entry in
            let (code, english) = Self.parts(of: entry)
            let message = english.translated
            let text = "\(world.localTime(entry.at)): \(HistoryText.word(entry.event)), \(message)".asSentence
            return (Line(.failure, text, code: code), message.last == "." ? String(message.dropLast()) : message)
        }
    }

    /// Splits `retry after connectionLost: MESSAGE`, or `connectionLost: MESSAGE`.
    private static func parts(of entry: HistoryEntry) -> (code: String?, message: String) {
        let detail = ShortID.shortening(entry.detail)
        guard entry.event == "failed" || entry.event == "waiting", let colon = detail.firstRange(of: ": ") else {
            return (nil, detail)
        }
        let code = detail[..<colon.lowerBound].split(separator: " ").last.map(String.init)
        return (code, String(detail[colon.upperBound...]))
    }
}

/// The explanation of a state.
struct Advice {
    var cause: String
    var next: String
    var remedies: [String]

    var lines: [DoctorText.Line] {
        [DoctorText.Line(.cause, cause), DoctorText.Line(.next, tr("Next: \(next)"))]
            + remedies.map { DoctorText.Line(.remedy, $0) }
    }
}
