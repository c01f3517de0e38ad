import LonghaulCore

/// For logs and pipes: one line when a transfer starts, when its state changes, every ten percent or thirty seconds,
/// and at its end.
struct PlainReport: Report {
    /// The last reported progress of a running transfer.
    private struct Mark {
        var tenth: Int
        var at: WallTime
    }

    /// The size up to which a body has a line only for its end, or after 30 seconds.
    private static let tiny: Int64 = 1 << 20

    private let session: SessionID
    /// The group of all transfers of the command.
    private let group: String?
    private let console: Console
    /// Whether the paths of finished downloads go to standard output.
    private let printsPaths: Bool
    private var marks: [TransferID: Mark] = [:]

    init(session: SessionID, group: String? = nil, console: Console) {
        self.session = session
        self.group = group
        self.console = console
        printsPaths = console.printsPaths
    }

    mutating func submitted(_ id: TransferID, _ spec: TransferSpec, isNew: Bool) {
        if !isNew { console.say(ReportText.existing(id, spec)) }
    }

    mutating func problem(_ subject: String?, _ failure: TransferFailure) {
        console.say(ErrorLine.text(failure, subject: subject, in: session))
    }

    mutating func changed(_ change: WatchedTransfers.Change, now: WallTime) {
        let transfer = change.after
        if let reason = ReportText.restartNotice(change) { say(transfer, reason) }
        if transfer.state.isEnded {
            marks[transfer.id] = nil
            end(transfer)
        } else if isNewState(change) {
            let isTiny = transfer.bytesTotal.map { $0 <= Self.tiny } ?? false
            marks[transfer.id] = Mark(tenth: isTiny ? 10 : tenth(transfer), at: now)
            // The next state, or the end of a tiny body, follows in a moment.
            if case .running(let phase) = transfer.state, isTiny || phase == .preparing { return }
            say(transfer, StateText.phrase(transfer, in: session, now: now))
        } else if let mark = marks[transfer.id] {
            let tenth = tenth(transfer)
            guard tenth > mark.tenth || now - mark.at >= .seconds(30) else { return }
            marks[transfer.id] = Mark(tenth: tenth, at: now)
            say(transfer, progress(transfer))
        }
    }

    mutating func notice(_ sentence: String) {
        console.say("longhaul: " + sentence)
    }

    mutating func refresh(_ book: WatchedTransfers, now: WallTime) {}

    mutating func resized() {}

    mutating func finish(_ book: WatchedTransfers, status: ExitStatus, now: WallTime) {
        guard book.count > 1 else { return }
        console.say(ReportText.totals(book))
        for line in ReportText.failures(book, in: session, group: group) { console.say(line) }
    }

    func hint(_ sentence: String) {
        console.say(sentence)
    }

    private func end(_ transfer: TransferSnapshot) {
        if case .failed = transfer.state {
            console.say(ReportText.ended(transfer, in: session))
        } else {
            console.say(ShortID.text(transfer.id) + " " + ReportText.ended(transfer, in: session))
        }
        if printsPaths { FinishedPath.print(transfer, console) }
    }

    private func say(_ transfer: TransferSnapshot, _ words: String) {
        console.say("\(ShortID.text(transfer.id)) \(DisplayText.clean(transfer.name)): \(words)")
    }

    private func progress(_ transfer: TransferSnapshot) -> String {
        let percent = HumanText.percent(transfer.bytesDone, of: transfer.bytesTotal).map { "\($0)% " } ?? ""
        let done = HumanText.bytes(transfer.bytesDone)
        let amount = transfer.bytesTotal.map { tr("\(done) of \(HumanText.bytes($0))") } ?? done
        // The rate is unknown at first.
        return percent + amount + (transfer.rate > 0 ? ", " + HumanText.rate(transfer.rate) : "")
    }

    private func tenth(_ transfer: TransferSnapshot) -> Int {
        (HumanText.percent(transfer.bytesDone, of: transfer.bytesTotal) ?? 0) / 10
    }

    /// A transfer that waits again after the same failure has made another attempt.
    private func isNewState(_ change: WatchedTransfers.Change) -> Bool {
        change.before?.state != change.after.state
    }
}

/// The path of a finished download, alone on a line of standard output, for scripts.
enum FinishedPath {
    static func print(_ transfer: TransferSnapshot, _ console: Console) {
        guard transfer.state == .succeeded, transfer.direction == .download, let path = transfer.path else { return }
        console.print(path)
    }
}
