import LonghaulCore

/// How an attached command tells what happens: live lines, plain lines, JSON, or errors only.
protocol Report {
    /// Whether it tells nothing of successes and of what runs; then `succeeded` stands for `changed` where a transfer has succeeded.
    var isBrief: Bool { get }
    /// A transfer is on disk in the service.
    mutating func submitted(_ id: TransferID, _ spec: TransferSpec, isNew: Bool)
    /// Something could not become a transfer, or the command itself cannot go on.
    mutating func problem(_ subject: String?, _ failure: TransferFailure)
    mutating func changed(_ change: WatchBook.Change, now: WallTime)
    /// A transfer has succeeded, and no more is known of it.
    mutating func succeeded(_ success: WatchUpdate.Success)
    /// Something about the command itself that the person must know.
    mutating func notice(_ sentence: String)
    /// Called after each batch of changes and, on a terminal, ten times a second.
    mutating func refresh(_ book: WatchBook, now: WallTime)
    /// The terminal has another size.
    mutating func resized()
    /// The last call but for `hint`.
    mutating func finish(_ book: WatchBook, status: ExitStatus, now: WallTime)
    /// What the person can do next.
    func hint(_ sentence: String)
}

/// Whoever shows more is told of successes as of any change.
extension Report {
    var isBrief: Bool { false }

    mutating func succeeded(_ success: WatchUpdate.Success) {}
}

/// One line about a failure, the same everywhere.
enum ErrorLine {
    /// - Parameter id: The transfer that failed, if there is one.
    static func text(
        _ failure: TransferFailure, subject: String? = nil, id: TransferID? = nil, in session: SessionID = .commandLine
    ) -> String {
        let subject = subject.map { DisplayText.clean($0) + ": " } ?? ""
        return "longhaul: " + subject + words(failure, id, in: session)
    }

    /// The sentence, the command that does what it advises, and the code.
    static func words(_ failure: TransferFailure, _ id: TransferID?, in session: SessionID) -> String {
        StateText.sentence(failure) + command(for: failure, id, session) + " [\(failure.code.rawValue)]"
    }

    /// The command that does what is advised, which apps have by another name.
    private static func command(for failure: TransferFailure, _ id: TransferID?, _ session: SessionID) -> String {
        switch failure.code {
        case .keyTaken: return " (--if-key-exists replace)"
        case .unknownTransfer where failure.message.hasSuffix("in this session."): return " (longhaul list)"
        default: break
        }
        guard failure.advice != nil else { return "" }
        let name = session.hint + (id.map { " " + ShortID.text($0) } ?? " ID")
        return switch failure.origin {
        case .status(401): " (longhaul retry\(name) -u USER)"
        case .status(403), .status(410): " (longhaul replace-url\(name))"
        case .status, .longhaul, .curl, .system, .sqlite: ""
        }
    }
}

extension TransferFailure {
    /// The same of a transfer that is gone when this is read: what could be given to it is given to the next command, and that is a
    /// part of the sentence.
    var ofGoneTransfer: TransferFailure {
        var failure = self
        switch origin {
        case .status(401): failure.advice = "run it again with the right -u USER or -H"
        case .status(403):
            failure.advice = "check what you are allowed to do there, and whether the URL has expired"
        case .status(410): failure.advice = "check the URL"
        case .status, .longhaul, .curl, .system, .sqlite: return self
        }
        return TransferFailure(code, failure.message, origin: origin)
    }
}

/// Lines that several reports share.
enum ReportText {
    /// What was asked for is there already, and is followed instead of a second one.
    static func existing(_ id: TransferID, _ spec: TransferSpec) -> String {
        let short = ShortID.text(id)
        if spec.options.key != nil { return "\(short) is already there under this key" }
        let kept = spec.optionsWithoutEffect
        let own = kept.isEmpty ? "" : " and keeps its own options (" + kept.joined(separator: ", ") + ")"
        return "\(short) is the same transfer and under way already\(own); --again starts another copy"
    }

    /// Said once, when a download has lost what it had.
    static func beginningAnew(_ change: WatchBook.Change) -> String? {
        guard let before = change.before, change.after.beginningsAnew > before.beginningsAnew else { return nil }
        return change.after.beganAnewBecause.map { "begins anew, since " + $0.text }
    }

    /// Said once, when so much of a download is there that it would be a pity.
    static func unresumable(_ change: WatchBook.Change) -> String? {
        let (before, after) = (change.before, change.after)
        guard after.losesBytesWhenStopped, after.state == .running(.receiving), after.bytesDone >= worthKeeping,
            before.map({ $0.bytesDone < worthKeeping || !$0.losesBytesWhenStopped }) ?? true
        else { return nil }
        return "cannot be resumed: " + StateText.beginsAnew
    }

    private static let worthKeeping: Int64 = 8 << 20

    static func ended(_ transfer: TransferSnapshot, in session: SessionID) -> String {
        let name = DisplayText.clean(transfer.name)
        switch transfer.state {
        case .succeeded:
            if transfer.status == 304, let path = transfer.path {
                return "unchanged " + name + ": " + DisplayText.clean(path) + " stays as it is"
            }
            let place = transfer.direction == .download ? transfer.path.map { ": " + DisplayText.clean($0) } ?? "" : ""
            // A request without a body has sent nothing that counts, and what it brought is beside it.
            let isBare = transfer.direction == .request && transfer.bytesDone == 0
            let remark = transfer.isLengthUnverified ? " (" + TransferSnapshot.lengthRemark + ")" : ""
            return "done " + name + (isBare ? "" : " " + amount(transfer)) + place + remark
        case .failed(let failure):
            return ErrorLine.text(failure, subject: transfer.name, id: transfer.id, in: session)
        case .cancelled: return "cancelled " + name
        case .waiting, .running, .awaitingResponse, .paused: return name
        }
    }

    static func totals(_ book: WatchBook) -> String {
        let tally = book.tally
        var running = 0
        var waiting = book.queued.count
        var paused = 0
        for transfer in book.live.values {
            switch transfer.state {
            case .running, .awaitingResponse: running += 1
            case .paused: paused += 1
            case .waiting, .succeeded, .failed, .cancelled: waiting += 1
            }
        }
        var parts = ["\(tally.succeeded) done"]
        if running > 0 { parts.append("\(running) running") }
        if waiting > 0 { parts.append("\(waiting) waiting") }
        if paused > 0 { parts.append("\(paused) paused") }
        if tally.failed > 0 { parts.append("\(tally.failed) failed") }
        if tally.cancelled > 0 { parts.append("\(tally.cancelled) cancelled") }
        if tally.refused > 0 { parts.append("\(tally.refused) refused") }
        return parts.joined(separator: ", ")
    }

    private static func amount(_ transfer: TransferSnapshot) -> String {
        let size = HumanText.bytes(transfer.bytesDone)
        guard let started = transfer.startedAt, let ended = transfer.endedAt, ended > started else {
            return "(\(size))"
        }
        let taken = ended - started
        // A rate of a few bytes says how long the first answer took, and nothing of the way.
        guard taken >= .milliseconds(100), transfer.bytesDone > 0 else { return "(\(size))" }
        let rate = Double(transfer.bytesDone) / (Double(taken.microseconds) / 1_000_000)
        let time = taken < .seconds(10) ? HumanText.tenths(taken) : HumanText.span(taken)
        return "(\(size) in \(time), \(HumanText.rate(Int64(min(rate, 1e18)))))"
    }
}
