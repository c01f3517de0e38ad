import LonghaulCore

extension Option {
    fileprivate static let all = Option("all", "a", "Include all ended transfers")
    fileprivate static let newest = Option("newest", "n", value: "N", "Show only the newest N transfers")
}

extension Command {
    static let list = Command(
        "list", "[NAME…] [options]", "List transfers",
        options: [.all, .chosenGroup, .chosenState, .olderThan, .newest, .session, .json],
        examples: [.init("longhaul list --state failed", "List failed transfers")],
        notes: [
            "NAME is a part of a name or host, or an ID. Without NAME and options, the list contains all active transfers, and "
                + "the newest 20 that ended within the last day. STATE is one of: "
                + (StateText.words + StateText.phaseWords).joined(separator: ", ") + "."
        ],
        reference: (
            [
                "On a terminal, the list shows the last eight digits of each ID, and the time left. In a pipe, each transfer "
                    + "has one row, and a second line for its reason."
            ], []
        ),
        run: { arguments, world throws(TransferFailure) in
            try await Listing(arguments, world).run()
        })
}

/// Prints the transfers of a session: the active ones, then those that have ended, each in order of submission.
struct Listing: Sendable {
    private let world: World
    private let session: SessionID
    private let selection: TransferSelection
    private let filter: TransferFilter
    private let count: Int?
    private let showsAll: Bool
    private let asJSON: Bool

    private static let newestEnded = 20
    /// How long an ended transfer stays in the list.
    private static let staysListed = Duration.seconds(86_400)
    private static let chunk = 1 << 18

    init(_ arguments: Arguments, _ world: World) throws(TransferFailure) {
        if let word = arguments.operands.first, TransferFilter.state(word) != nil {
            throw .usage("\"\(word)\" is a state. To list these transfers, type: longhaul list --state \(word)")
        }
        self.world = world
        session = try LocalCheck.session(arguments)
        selection = arguments.value(.group).map { .group($0) } ?? .all
        filter = try TransferFilter(arguments, words: arguments.operands)
        count = try arguments.integer(.newest, 1...1_000_000)
        showsAll = arguments.has(.all)
        asJSON = arguments.has(.json)
    }

    /// Whether older ended transfers are omitted.
    private var folds: Bool { !showsAll && filter.isEmpty && count == nil }

    func run() async throws(TransferFailure) -> ExitStatus {
        let service = try await world.connect(true)
        defer { service.close() }
        if asJSON { try await printJSON(service) } else { try await printTable(service) }
        return .success
    }

    private func printTable(_ service: any TransferService) async throws(TransferFailure) {
        let console = world.console
        var (live, totals) = try await self.live(service)
        var ended: [TransferSnapshot] = []
        var hidden = 0
        if folds {
            (ended, hidden) = try await recentlyEnded(totals, service)
        } else if let count {
            ended = try await matching(service, ended: true)
            let oldest = (live + ended).map(\.sequence).sorted().suffix(count).first ?? 0
            live.removeAll { $0.sequence < oldest }
            ended.removeAll { $0.sequence < oldest }
        }
        // A transfer that ended between the two requests is in both answers.
        let known = Set(ended.map(\.id))
        live.removeAll { known.contains($0.id) }
        let terminal =
            console.isOutputTerminal
            ? TransferTable.Terminal(columns: console.size().columns, usesColour: console.usesColour) : nil
        var printer = Printer(
            table: TransferTable(session: session, now: world.now(), terminal: terminal, for: live + ended),
            console: console)
        for transfer in live { printer.add(transfer) }
        if folds || count != nil {
            for transfer in ended { printer.add(transfer) }
        } else if filter.ended != false {
            let shown = Set(live.map(\.id))
            try await forEach(service, ended: true) { if !shown.contains($0.id) { printer.add($0) } }
        }
        printer.finish()
        printHidden(printer, hidden)
    }

    /// Prints the information that is not in the table.
    private func printHidden(_ printer: Printer, _ hidden: Int) {
        let list = session.hint("list")
        if hidden > 0 {
            world.console.say(
                hidden == 1
                    ? tr("1 more transfer ended earlier. Show it: \(list) --all")
                    : tr("\(hidden) more transfers ended earlier. Show them: \(list) --all"))
        } else if printer.isEmpty {
            let isWhole = filter.isEmpty && selection == .all
            world.console.say(
                isWhole
                    ? tr("No transfers. Start one: longhaul URL")
                    : tr("No such transfers. Show all: \(list) --all"))
        }
        if printer.hasFailed {
            world.console.say(tr("Why a transfer failed, and what helps: \(session.hint("doctor")) ID"))
        }
    }

    /// Rows go out in large pieces.
    private struct Printer {
        var table: TransferTable
        let console: Console
        private(set) var isEmpty = true
        private(set) var hasFailed = false
        private var followsLive = false

        init(table: TransferTable, console: Console) {
            self.table = table
            self.console = console
        }

        mutating func add(_ transfer: TransferSnapshot) {
            if isEmpty { table.header() }
            isEmpty = false
            if transfer.state.isEnded, followsLive { table.blankLine() }
            followsLive = !transfer.state.isEnded
            if case .failed = transfer.state { hasFailed = true }
            table.add(transfer)
            if table.bytes.count >= Listing.chunk { console.writeOutput(table.removeBytes()) }
        }

        mutating func finish() { console.writeOutput(table.removeBytes()) }
    }

    /// Lines stay in order of submission: for programs, a line has the same place whatever its state is.
    private func printJSON(_ service: any TransferService) async throws(TransferFailure) {
        var json = JSONWriter()
        func add(_ transfer: TransferSnapshot) {
            json.transfer(transfer)
            json.endLine()
            guard json.bytes.count >= Self.chunk else { return }
            world.console.writeOutput(json.bytes)
            json = JSONWriter()
        }
        if folds {
            let (live, totals) = try await self.live(service)
            let ended = try await recentlyEnded(totals, service).transfers
            let known = Set(ended.map(\.id))
            for transfer in (live.filter { !known.contains($0.id) } + ended).sorted(by: { $0.sequence < $1.sequence }) {
                add(transfer)
            }
        } else if let count {
            for transfer in try await matching(service, ended: filter.ended).suffix(count) { add(transfer) }
        } else {
            try await forEach(service, ended: filter.ended, add)
        }
        world.console.writeOutput(json.bytes)
    }

    private func live(
        _ service: any TransferService
    ) async throws(TransferFailure) -> (transfers: [TransferSnapshot], totals: SessionTotals) {
        var live: [TransferSnapshot] = []
        guard filter.ended != true else { return (live, SessionTotals()) }
        let totals = try await forEach(service, ended: false) { live.append($0) }
        return (live, totals)
    }

    private func matching(
        _ service: any TransferService, ended: Bool?
    ) async throws(TransferFailure) -> [TransferSnapshot] {
        var matching: [TransferSnapshot] = []
        guard filter.ended != false || ended != true else { return matching }
        try await forEach(service, ended: ended) { matching.append($0) }
        return matching
    }

    @discardableResult
    private func forEach(
        _ service: any TransferService, ended: Bool?, _ body: (TransferSnapshot) throws(TransferFailure) -> Void
    ) async throws(TransferFailure) -> SessionTotals {
        let (filter, now) = (filter, world.now())
        let query = ListQuery(selection: selection, ended: ended)
        return try await ListPages.forEach(query, in: session, over: service) { transfer throws(TransferFailure) in
            if filter.selects(transfer, at: now) { try body(transfer) }
        }
    }

    private func recentlyEnded(
        _ totals: SessionTotals, _ service: any TransferService
    ) async throws(TransferFailure) -> (transfers: [TransferSnapshot], others: Int) {
        try await ListPages.newestEnded(
            Self.newestEnded, since: world.now() - Self.staysListed, of: selection, totals, in: session, over: service)
    }
}
