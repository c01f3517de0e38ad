import LonghaulCore

extension Command {
    static let history: Command = Command(
        "history", "ID [options]", "Show the history of a transfer", options: [.session, .json],
        transfers: StateText.words,
        reference: ([], [.init("longhaul history film.mp4 --json", "Show the history as JSON")]),
        run: { arguments, world throws(TransferFailure) in
            guard arguments.operands.count == 1 else { throw .misuse("history needs one ID.") }
            let session = try LocalCheck.session(arguments)
            let service = try await world.connect(true)
            defer { service.close() }
            var json = JSONWriter()
            let ids = try await IDLookup.find(
                arguments.operands, among: history.transfers, choosesNewest: true, in: session, over: service)
            for id in ids {
                for entry in try await service.history(id, in: session) {
                    if arguments.has(.json) {
                        json.object { $0.members(of: entry) }
                        json.endLine()
                    } else {
                        world.console.show(HistoryText.line(entry, world), indent: 21)
                    }
                }
            }
            world.console.writeOutput(json.bytes)
            return .success
        })
}

/// Lines of a transfer's history.
enum HistoryText {
    static func line(_ entry: HistoryEntry, _ world: World) -> String {
        let heads = heads(of: entry)
        let detail = heads.isEmpty ? DisplayText.clean(detail(of: entry)) : ""
        let bytes = entry.bytesDone > 0 ? HumanText.bytes(entry.bytesDone) : ""
        let event = DisplayText.fit(word(entry.event), 18)
        let start = world.localTime(entry.at) + "  " + event + DisplayText.fit(bytes, 12)
        return ([String((start + detail).trimming { $0 == " " })] + heads.map { "    " + $0 }).joined(separator: "\n")
    }

    /// The word for an event, which JSON has in English.
    static func word(_ event: String) -> String {
        switch event {
        case "submitted": tr("submitted")
        case "started": tr("started")
        case "waiting": tr("waiting")
        case "paused": tr("paused")
        case "resumed": tr("resumed")
        case "retried": tr("retried")
        case "restarted": tr("restarted")
        case "discarded": tr("discarded")
        case "replaced": tr("replaced")
        case "changed": tr("changed")
        case "mirror": tr("mirror")
        case "awaitingResponse": tr("awaitingResponse")
        case "succeeded": tr("succeeded")
        case "failed": tr("failed")
        case "cancelled": tr("cancelled")
        case "ownerLost": tr("ownerLost")
        default: event
        }
    }

    /// The detail in the user's language. A code before a colon stays as it is.
    private static func detail(of entry: HistoryEntry) -> String {
        guard ["failed", "waiting", "mirror"].contains(entry.event), let colon = entry.detail.firstRange(of: ": ")
        else { return entry.detail.translated }
        return entry.detail[..<colon.upperBound] + String(entry.detail[colon.upperBound...]).translated
    }

    /// Returns the headers of a request and its response; empty for entries of other kinds.
    static func heads(of entry: HistoryEntry) -> [String] {
        guard entry.event == "heads" else { return [] }
        return entry.detail.split(separator: "\n").map { DisplayText.clean(String($0)) }
    }
}
