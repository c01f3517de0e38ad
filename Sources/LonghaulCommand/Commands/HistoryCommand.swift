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
        let detail = heads.isEmpty ? DisplayText.clean(entry.detail.translated) : ""
        let bytes = entry.bytesDone > 0 ? HumanText.bytes(entry.bytesDone) : ""
        let start = world.localTime(entry.at) + "  " + DisplayText.fit(entry.event, 18) + DisplayText.fit(bytes, 12)
        return ([String((start + detail).trimming { $0 == " " })] + heads.map { "    " + $0 }).joined(separator: "\n")
    }

    /// Returns the headers of a request and its response; empty for entries of other kinds.
    static func heads(of entry: HistoryEntry) -> [String] {
        guard entry.event == "heads" else { return [] }
        return entry.detail.split(separator: "\n").map { DisplayText.clean(String($0)) }
    }
}
