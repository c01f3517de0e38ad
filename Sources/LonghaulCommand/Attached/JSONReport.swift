import LonghaulCore

/// One JSON object a line on standard output: `submitted`, `problem`, `changed`, `ended`, `notice`, at last `summary`.
struct JSONReport: Report {
    let console: Console

    mutating func submitted(_ id: TransferID, _ spec: TransferSpec, isNew: Bool) {
        event("submitted") { json in
            json.member("id", id.description)
            json.member("key", spec.options.key)
            json.member("isNew", isNew)
        }
    }

    mutating func problem(_ subject: String?, _ failure: TransferFailure) {
        event("problem") { json in
            json.member("subject", subject)
            json.failure("failure", failure)
        }
    }

    mutating func changed(_ change: WatchedTransfers.Change, now: WallTime) {
        event(change.after.state.isEnded ? "ended" : "changed") { json in
            json.member("at", now)
            json.object("transfer") { $0.members(of: change.after) }
        }
    }

    mutating func notice(_ sentence: String) {
        event("notice") { $0.member("message", sentence) }
    }

    mutating func refresh(_ book: WatchedTransfers, now: WallTime) {}

    mutating func resized() {}

    mutating func finish(_ book: WatchedTransfers, status: ExitStatus, now: WallTime) {
        event("summary") { json in
            json.member("succeeded", book.tally.succeeded)
            json.member("failed", book.tally.failed)
            json.member("cancelled", book.tally.cancelled)
            json.member("refused", book.tally.refused)
            json.member("live", book.queued.count + book.live.count)
            json.member("exitStatus", Int64(status.number))
        }
    }

    func hint(_ sentence: String) {
        console.say(sentence)
    }

    private func event(_ name: String, _ content: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        json.object { json in
            json.member("event", name)
            content(&json)
        }
        json.endLine()
        console.writeOutput(json.bytes)
    }
}
