import LonghaulCore

/// Errors only, and the paths of finished downloads when a program reads them.
struct QuietReport: Report {
    let session: SessionID
    let console: Console
    let isBrief = true

    mutating func submitted(_ id: TransferID, _ spec: TransferSpec, isNew: Bool) {}

    mutating func problem(_ subject: String?, _ failure: TransferFailure) {
        console.say(ErrorLine.text(failure, subject: subject, in: session))
    }

    mutating func changed(_ change: WatchedTransfers.Change, now: WallTime) {
        if case .failed(let failure) = change.after.state {
            console.say(ErrorLine.text(failure, of: change.after, in: session))
        }
        if !console.isOutputTerminal { FinishedPath.print(change.after, console) }
    }

    mutating func succeeded(_ success: WatchUpdate.Success) {
        if let path = success.path, !console.isOutputTerminal { console.print(path) }
    }

    mutating func notice(_ sentence: String) {}

    mutating func refresh(_ book: WatchedTransfers, now: WallTime) {}

    mutating func resized() {}

    mutating func finish(_ book: WatchedTransfers, status: ExitStatus, now: WallTime) {}

    func hint(_ sentence: String) {}
}
