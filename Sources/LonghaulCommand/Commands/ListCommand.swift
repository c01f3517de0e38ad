import LonghaulCore

extension Option {
    fileprivate static let all = Option("all", "a", "Include all ended transfers")
    fileprivate static let state = Option("state", value: "STATE", "Show only transfers in STATE")
}

extension Command {
    static let list = Command(
        "list", "[options]", "List transfers", options: [.all, .chosenGroup, .state, .session, .json],
        examples: [.init("longhaul list --state failed", "List failed transfers")],
        notes: [
            "Without --all, the list contains all active transfers and the newest 20 ended ones. STATE is one of: "
                + StateText.words.joined(separator: ", ") + "."
        ],
        run: { arguments, world throws(TransferFailure) in
            try await Listing(arguments, world).run()
        })
}

/// Prints the transfers of a session in order of submission.
struct Listing: Sendable {
    private let world: World
    private let session: SessionID
    private let selection: TransferSelection
    private let state: String?
    private let showsAll: Bool
    private let asJSON: Bool

    private static let newest = 20
    private static let chunk = 1 << 18

    init(_ arguments: Arguments, _ world: World) throws(TransferFailure) {
        if let word = arguments.operands.first, StateText.words.contains(StateText.listed(word)) {
            throw .usage("list takes no \"\(word)\"; longhaul list --state \(word) shows these transfers")
        }
        try arguments.refuseOperands(of: "list")
        self.world = world
        session = try LocalCheck.session(arguments)
        selection = arguments.value(.group).map { .group($0) } ?? .all
        state = arguments.value(.state).map(StateText.listed)
        showsAll = arguments.has(.all)
        asJSON = arguments.has(.json)
        if let state, !StateText.words.contains(state) {
            throw .usage("there is no state \"\(state)\"; there are \(StateText.words.joined(separator: ", "))")
        }
    }

    func run() async throws(TransferFailure) -> ExitStatus {
        let service = try await world.connect(true)
        defer { service.close() }
        if asJSON { try await printJSON(service) } else { try await printTable(service) }
        return .success
    }

    private func printTable(_ service: any TransferService) async throws(TransferFailure) {
        let console = world.console
        let terminal =
            console.isOutputTerminal
            ? TransferTable.Terminal(columns: console.size().columns, usesColour: console.usesColour) : nil
        var table = TransferTable(session: session, now: world.now(), terminal: terminal)
        table.header()
        let hidden = try await forEach(service) { transfer throws(TransferFailure) in
            table.add(transfer)
            if table.bytes.count >= Self.chunk { world.console.writeOutput(table.take()) }
        }
        if table.isEmpty {
            let isWhole = state == nil && selection == .all
            return world.console.say(
                isWhole
                    ? "No transfers. Start one: longhaul URL"
                    : "No such transfers. All there are: \(session.hint("list")) --all")
        }
        world.console.writeOutput(table.take())
        if hidden > 0 {
            world.console.say(
                "\(HumanText.count(hidden, "more transfer")) ended earlier: \(session.hint("list")) --all")
        }
    }

    private func printJSON(_ service: any TransferService) async throws(TransferFailure) {
        var json = JSONWriter()
        _ = try await forEach(service) { transfer throws(TransferFailure) in
            json.transfer(transfer)
            json.endLine()
            if json.bytes.count >= Self.chunk {
                world.console.writeOutput(json.bytes)
                json = JSONWriter()
            }
        }
        world.console.writeOutput(json.bytes)
    }

    /// Returns how many transfers that have ended were left out.
    private func forEach(
        _ service: any TransferService, _ body: (TransferSnapshot) throws(TransferFailure) -> Void
    ) async throws(TransferFailure) -> Int {
        if let state {
            let ended = ["succeeded", "failed", "cancelled"].contains(state)
            let query = ListQuery(selection: selection, ended: ended)
            try await ListPages.forEach(query, in: session, over: service) { transfer throws(TransferFailure) in
                if StateText.word(transfer.state) == state { try body(transfer) }
            }
            return 0
        }
        if showsAll {
            try await ListPages.forEach(ListQuery(selection: selection), in: session, over: service, body)
            return 0
        }
        var live: [TransferSnapshot] = []
        let query = ListQuery(selection: selection, ended: false)
        let totals = try await ListPages.forEach(query, in: session, over: service) { live.append($0) }
        let (ended, hidden) = try await newestEnded(totals, service)
        // One that ended between the two questions is in both answers. Both are in order, and the live ones may be many:
        // they are merged where they are.
        let known = Set(ended.map(\.id))
        var rest = ended[...]
        for transfer in live where !known.contains(transfer.id) {
            while let next = rest.first, next.sequence < transfer.sequence { try body(rest.removeFirst()) }
            try body(transfer)
        }
        for transfer in rest { try body(transfer) }
        return hidden
    }

    private func newestEnded(
        _ totals: SessionTotals, _ service: any TransferService
    ) async throws(TransferFailure) -> (ended: [TransferSnapshot], hidden: Int) {
        let count = totals.succeeded + totals.failed + totals.cancelled
        // Sequence numbers rise by one or more, so the n-th that ended has number n or more: all before it can be skipped.
        let skipped = selection == .all ? max(0, count - Self.newest) : 0
        let query = ListQuery(selection: selection, ended: true, afterSequence: Int64(skipped))
        var newest: [TransferSnapshot] = []
        var seen = 0
        try await ListPages.forEach(query, in: session, over: service) { transfer in
            seen += 1
            newest.append(transfer)
            if newest.count >= 2 * Self.newest { newest.removeFirst(Self.newest) }
        }
        let kept = Array(newest.suffix(Self.newest))
        return (kept, (selection == .all ? max(count, kept.count) : seen) - kept.count)
    }
}
