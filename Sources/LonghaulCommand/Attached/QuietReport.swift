import LonghaulCore

/// Errors only, the paths of finished downloads when a program reads them, and why a joined transfer waits.
struct QuietReport: Report {
    let session: SessionID
    let console: Console
    let isBrief = true
    /// The transfers that existed before the command, until their first change.
    private var joined: Set<TransferID> = []

    init(session: SessionID, console: Console) {
        self.session = session
        self.console = console
    }

    mutating func submitted(_ id: TransferID, _ spec: TransferSpec, isNew: Bool) {
        if !isNew { joined.insert(id) }
    }

    mutating func problem(_ subject: String?, _ failure: TransferFailure) {
        console.say(ErrorLine.text(failure, subject: subject, in: session))
    }

    mutating func changed(_ change: WatchedTransfers.Change, now: WallTime) {
        // Without a word, the command would wait for hours under conditions of an earlier one.
        if joined.remove(change.after.id) != nil, case .waiting(let waiting) = change.after.state, waiting.isScheduled {
            let phrase = StateText.phrase(change.after, in: session, now: now).asSentence
            console.say("longhaul: \(DisplayText.clean(change.after.name)): \(phrase)")
        }
        if case .failed(let failure) = change.after.state {
            console.say(ErrorLine.text(failure, of: change.after, in: session))
        }
        if console.printsPaths { FinishedPath.print(change.after, console) }
    }

    mutating func succeeded(_ success: WatchUpdate.Success) {
        if let path = success.path, console.printsPaths { console.print(path) }
    }

    mutating func notice(_ sentence: String) {}

    mutating func refresh(_ book: WatchedTransfers, now: WallTime) {}

    mutating func resized() {}

    mutating func finish(_ book: WatchedTransfers, status: ExitStatus, now: WallTime) {}

    func hint(_ sentence: String) {}
}
