import LonghaulCore

/// How an attached command reports progress: live lines, plain lines, JSON, or errors only.
protocol Report {
    /// Whether the report omits progress and successes; then `succeeded` replaces `changed` for a success.
    var isBrief: Bool { get }
    /// A transfer is on disk in the service.
    mutating func submitted(_ id: TransferID, _ spec: TransferSpec, isNew: Bool)
    /// An order was refused, or the command itself cannot continue.
    mutating func problem(_ subject: String?, _ failure: TransferFailure)
    mutating func changed(_ change: WatchedTransfers.Change, now: WallTime)
    /// A transfer has succeeded; nothing else is known about it.
    mutating func succeeded(_ success: WatchUpdate.Success)
    /// A notice about the command itself.
    mutating func notice(_ sentence: String)
    /// Called after each batch of changes and, on a terminal, ten times a second.
    mutating func refresh(_ book: WatchedTransfers, now: WallTime)
    /// The terminal has another size.
    mutating func resized()
    /// The last call except `hint`.
    mutating func finish(_ book: WatchedTransfers, status: ExitStatus, now: WallTime)
    /// The next commands that help the user.
    func hint(_ sentence: String)
}

/// Other reports receive successes as changes.
extension Report {
    var isBrief: Bool { false }

    mutating func succeeded(_ success: WatchUpdate.Success) {}
}

/// Lines that several reports share.
enum ReportText {
    /// A submission joined a transfer that exists already.
    static func existing(_ id: TransferID, _ spec: TransferSpec) -> String {
        let short = ShortID.text(id)
        if spec.options.key != nil { return tr("\(short) exists already with this key.") }
        let kept = spec.optionsWithoutEffect
        guard !kept.isEmpty else {
            return tr("\(short) is the same transfer and is active already. --again starts another copy.")
        }
        return tr(
            "\(short) is the same transfer and is active already. It keeps its own options (\(kept.joined(separator: ", "))). "
                + "--again starts another copy.")
    }

    /// Printed once, when a download has lost its bytes.
    static func restartNotice(_ change: WatchedTransfers.Change) -> String? {
        guard let before = change.before, change.after.restartCounts > before.restartCounts else { return nil }
        return change.after.restartReason.map { tr("restarts from the beginning: \($0.text)") }
    }

    /// Printed once, when a download has received many bytes that an interruption would lose.
    static func unresumable(_ change: WatchedTransfers.Change) -> String? {
        let (before, after) = (change.before, change.after)
        guard after.losesBytesWhenStopped, after.state == .running(.receiving), after.bytesDone >= worthKeeping,
            before.map({ $0.bytesDone < worthKeeping || !$0.losesBytesWhenStopped }) ?? true
        else { return nil }
        return tr("cannot be resumed; restarts from the beginning if paused or interrupted")
    }

    private static let worthKeeping: Int64 = 8 << 20

    static func ended(_ transfer: TransferSnapshot, in session: SessionID) -> String {
        switch transfer.state {
        case .succeeded: succeeded(transfer)
        case .failed(let failure):
            ErrorLine.text(failure, of: transfer, in: session)
        case .cancelled: tr("cancelled \(DisplayText.clean(transfer.name))")
        case .waiting, .running, .awaitingResponse, .paused: DisplayText.clean(transfer.name)
        }
    }

    private static func succeeded(_ transfer: TransferSnapshot) -> String {
        let name = DisplayText.clean(transfer.name)
        let result = result(transfer)
        switch transfer.direction {
        case .download:
            guard let path = transfer.path.map(DisplayText.clean) else {
                return tr("downloaded \(name) (\(amount(transfer)))")
            }
            if transfer.status == 304 { return tr("unchanged \(name): \(path) stays as it is") }
            guard transfer.isLengthUnverified else { return tr("downloaded \(name) (\(amount(transfer))): \(path)") }
            return tr("downloaded \(name) (\(amount(transfer))): \(path) (\(lengthRemark))")
        case .upload: return tr("uploaded \(name) (\(amount(transfer)))") + result
        case .request:
            // The size of a request without a body means nothing.
            return transfer.bytesDone == 0
                ? tr("answered \(name)") + result
                : tr("answered \(name) (\(amount(transfer)))") + result
        }
    }

    static var lengthRemark: String { tr("length not verified: the server did not mark the end of the file") }

    /// The status of the response, and the URL of the result.
    private static func result(_ transfer: TransferSnapshot) -> String {
        guard let status = transfer.status else { return "" }
        let url = transfer.resultURL ?? (transfer.direction == .upload ? transfer.url : nil)
        return ": \(status)" + (url.map { " " + DisplayText.clean($0) } ?? "")
    }

    static func totals(_ book: WatchedTransfers) -> String {
        let tally = book.tally
        var parts = [tr("\(tally.succeeded) succeeded")] + counts(of: book.live.values, queued: book.queued.count)
        if tally.failed > 0 { parts.append(tr("\(tally.failed) failed")) }
        if tally.cancelled > 0 { parts.append(tr("\(tally.cancelled) cancelled")) }
        if tally.refused > 0 { parts.append(tr("\(tally.refused) refused")) }
        return parts.joined(separator: ", ")
    }

    /// The numbers of active transfers.
    static func counts(of live: some Sequence<TransferSnapshot>, queued: Int = 0) -> [String] {
        var running = 0
        var waiting = queued
        var paused = 0
        for transfer in live {
            switch transfer.state {
            case .running, .awaitingResponse: running += 1
            case .paused: paused += 1
            case .waiting, .succeeded, .failed, .cancelled: waiting += 1
            }
        }
        var parts: [String] = []
        if running > 0 { parts.append(tr("\(running) running")) }
        if waiting > 0 { parts.append(tr("\(waiting) waiting")) }
        if paused > 0 { parts.append(tr("\(paused) paused")) }
        return parts
    }

    /// The first failed transfers of a batch, and the commands that show and retry all of them.
    ///
    /// - Parameter columns: The width of the terminal; `nil` for a pipe.
    static func failures(
        _ book: WatchedTransfers, in session: SessionID, group: String?, columns: Int? = nil
    ) -> [String] {
        guard book.tally.failed > 0 else { return [] }
        var lines = book.failures.map { transfer -> String in
            guard case .failed(let failure) = transfer.state else { return DisplayText.clean(transfer.name) }
            let summary = DisplayText.clean(failure.summary.translated)
            return ErrorLine.naming(DisplayText.clean(transfer.name), summary)
        }
        let more = book.tally.failed - lines.count
        if more > 0 { lines.append(more == 1 ? tr("and 1 more") : tr("and \(more) more")) }
        if let columns { lines = lines.map { DisplayText.cut($0, max(20, columns) - 3) } }
        let commands = [
            tr("List them: \(session.hint("list", group: group)) --state failed"),
            tr("Retry them: \(session.hint("retry", group: group)) --state failed"),
        ]
        return (lines + commands).map { "  " + $0 }
    }

    private static func amount(_ transfer: TransferSnapshot) -> String {
        let size = HumanText.bytes(transfer.bytesDone)
        guard let started = transfer.startedAt, let ended = transfer.endedAt, ended > started else { return size }
        let taken = ended - started
        guard taken >= .milliseconds(100), transfer.bytesDone > 0 else { return size }
        let time = taken < .seconds(10) ? HumanText.tenths(taken) : HumanText.span(taken)
        // The rate of a few bytes is the latency of the response.
        guard transfer.bytesDone >= 64 << 10 else { return "\(size), \(time)" }
        let rate = Double(transfer.bytesDone) / (Double(taken.microseconds) / 1_000_000)
        return tr("\(size) in \(time), \(HumanText.rate(Int64(min(rate, 1e18))))")
    }
}
