import LonghaulCore

extension Command {
    static let history: Command = Command(
        "history", "ID [options]", "Show the history of a transfer", options: [.session, .json],
        transfers: StateText.words,
        run: { arguments, world throws(TransferFailure) in
            guard arguments.operands.count == 1 else { throw .usage("history needs one ID") }
            let session = try LocalCheck.session(arguments)
            let service = try await world.connect(true)
            defer { service.close() }
            var json = JSONWriter()
            for id in try await IDLookup.find(arguments.operands, among: history.transfers, in: session, over: service)
            {
                for entry in try await service.history(id, in: session) {
                    if arguments.has(.json) {
                        json.object { $0.members(of: entry) }
                        json.endLine()
                    } else {
                        world.console.print(HistoryText.line(entry, world))
                    }
                }
            }
            world.console.writeOutput(json.bytes)
            return .success
        })
}

/// One line of a transfer's history.
enum HistoryText {
    static func line(_ entry: HistoryEntry, _ world: World) -> String {
        let heads = heads(of: entry)
        let detail = heads.isEmpty ? DisplayText.clean(entry.detail) : ""
        let bytes = entry.bytesDone > 0 ? HumanText.bytes(entry.bytesDone) : ""
        let start = world.localTime(entry.at) + "  " + DisplayText.fit(entry.event, 18) + DisplayText.fit(bytes, 12)
        return ([String((start + detail).trimming { $0 == " " })] + heads.map { "    " + $0 }).joined(separator: "\n")
    }

    /// The lines of what was asked and answered; empty for an entry that tells of something else.
    static func heads(of entry: HistoryEntry) -> [String] {
        guard entry.event == "heads" else { return [] }
        return entry.detail.split(separator: "\n").map { DisplayText.clean(String($0)) }
    }
}
