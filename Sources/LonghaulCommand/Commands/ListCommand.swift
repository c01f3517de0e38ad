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
            "NAME is a part of a name or host, or an ID. Without NAME and options, the list contains all active and failed "
                + "transfers, and the newest 20 others that ended within the last day. STATE is one of: "
                + (StateText.words + StateText.phaseWords).joined(separator: ", ") + "."
        ],
        reference: (
            [
                "On a terminal, the list shows the last eight digits of each ID, and the time left. Running transfers are "
                    + "last, after failed and waiting ones, and ended transfers are shown as far as they fit. In a "
                    + "pipe, each transfer has one row, and a second line for its reason."
            ], []
        ),
        run: { arguments, world throws(TransferFailure) in
            try await Listing(arguments, world).run()
        })
}

/// Prints the transfers of a session in order of submission: in a pipe the active ones first, on a terminal last.
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

    private var group: String? { if case .group(let name) = selection { name } else { nil } }

    func run() async throws(TransferFailure) -> ExitStatus {
        let service = try await world.connect(true)
        defer { service.close() }
        if asJSON { try await printJSON(service) } else { try await printTable(service) }
        return .success
    }

    private func printTable(_ service: any TransferService) async throws(TransferFailure) {
        let console = world.console
        var (live, totals) = try await self.live(service)
        var ended = EndedTransfers()
        if folds {
            ended = try await recentlyEnded(totals, service)
        } else if count != nil || console.isOutputTerminal {
            let all = try await matching(service, ended: true)
            let oldest = count.flatMap { (live + all).map(\.sequence).sorted().suffix($0).first } ?? 0
            live.removeAll { $0.sequence < oldest }
            for transfer in all where transfer.sequence >= oldest {
                if transfer.state.isFailed { ended.failed.append(transfer) } else { ended.others.append(transfer) }
            }
        }
        // A transfer that ended between the two requests is in both answers.
        let known = Set(ended.all.map(\.id))
        live.removeAll { known.contains($0.id) }
        guard console.isOutputTerminal else { return try await printRows(live, ended, service) }
        let size = console.size()
        let terminal = TransferTable.Terminal(columns: size.columns, usesColour: console.usesColour)
        let table = TransferTable(session: session, now: world.now(), terminal: terminal, for: live + ended.all)
        let screen = ListScreen(live, ended, rows: folds ? size.rows : .max, table)
        var printer = Printer(table: table, console: console)
        for transfer in screen.history { printer.add(transfer) }
        if !screen.history.isEmpty, !screen.present.isEmpty { printer.addBlankLine() }
        for transfer in screen.present { printer.add(transfer) }
        printer.finish()
        if live.count > 1 {
            let parts = [ReportText.counts(of: live).joined(separator: ", "), Movement(live).text]
            console.show(parts.filter { !$0.isEmpty }.joined(separator: "; "))
        }
        printHidden(printer, screen.hidden, failures: screen.hiddenFailures)
    }

    /// Prints all rows to a pipe, with the active transfers first.
    private func printRows(
        _ live: [TransferSnapshot], _ ended: EndedTransfers, _ service: any TransferService
    ) async throws(TransferFailure) {
        var printer = Printer(
            table: TransferTable(session: session, now: world.now(), for: live + ended.all), console: world.console)
        for transfer in live + ended.all { printer.add(transfer) }
        if !folds, count == nil, filter.ended != false {
            let shown = Set(live.map(\.id))
            try await forEach(service, ended: true) { if !shown.contains($0.id) { printer.add($0) } }
        }
        printer.finish()
        printHidden(printer, ended.omitted)
    }

    /// Prints the information that is not in the table.
    private func printHidden(_ printer: Printer, _ hidden: Int, failures: Int = 0) {
        let list = session.hint("list", group: group)
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
                    : tr("No such transfers. Show all: \(session.hint("list")) --all"))
        }
        if failures > 0 {
            let retry = session.hint("retry", group: group)
            world.console.say(
                failures == 1
                    ? tr("1 more transfer failed. Show all: \(list) --state failed")
                    : tr("\(failures) more transfers failed. Show all: \(list) --state failed"))
            world.console.say(tr("Retry all: \(retry) --state failed"))
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

        init(table: TransferTable, console: Console) {
            self.table = table
            self.console = console
        }

        mutating func add(_ transfer: TransferSnapshot) {
            if isEmpty { table.header() }
            isEmpty = false
            if transfer.state.isFailed { hasFailed = true }
            table.add(transfer)
            if table.bytes.count >= Listing.chunk { console.writeOutput(table.removeBytes()) }
        }

        mutating func addBlankLine() { table.line("") }

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
            let ended = try await recentlyEnded(totals, service).all
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
    ) async throws(TransferFailure) -> EndedTransfers {
        try await ListPages.ended(
            Self.newestEnded, since: world.now() - Self.staysListed, of: selection, totals, in: session, over: service)
    }
}

/// The rows of a list on a terminal. The most important ones are last, because the end of a long list stays on the
/// screen.
struct ListScreen {
    /// Transfers that succeeded or were cancelled.
    let history: [TransferSnapshot]
    /// Waiting and paused, then failed, then running transfers.
    let present: [TransferSnapshot]
    /// The number of ended transfers without a row, except failed ones.
    let hidden: Int
    let hiddenFailures: Int

    /// Active transfers always have rows. The newest failed transfers are shown as far as they fit with the running
    /// ones, and the newest others as far as they fit with all of these.
    ///
    /// - Parameter rows: The rows of the terminal.
    init(_ live: [TransferSnapshot], _ ended: EndedTransfers, rows: Int, _ table: TransferTable) {
        let running = live.filter(\.state.isInProgress)
        let queue = live.filter { !$0.state.isInProgress }
        // The header, the blank line, the total, the number of hidden rows, the advice about failures, and the prompt.
        let room = rows - 4 - (live.count > 1 ? 1 : 0) - (ended.failed.isEmpty ? 0 : 1) - table.lineCount(of: running)
        var failed = Self.newest(ended.failed, fitting: room, table)
        // The number of hidden failures, and the command that retries them.
        if failed.count < ended.failed.count { failed = Self.newest(ended.failed, fitting: room - 2, table) }
        hiddenFailures = ended.failed.count - failed.count
        let rest = room - (hiddenFailures > 0 ? 2 : 0) - table.lineCount(of: queue + failed)
        history = Self.newest(ended.others, fitting: rest, table)
        hidden = ended.omitted + ended.others.count - history.count
        present = queue + failed + running
    }

    private static func newest(
        _ transfers: [TransferSnapshot], fitting room: Int, _ table: TransferTable
    ) -> [TransferSnapshot] {
        var rest = room
        let count = transfers.reversed().prefix { transfer in
            rest -= table.lineCount(of: [transfer])
            return rest >= 0
        }.count
        return transfers.suffix(count)
    }
}

extension TransferState {
    fileprivate var isInProgress: Bool {
        switch self {
        case .running, .awaitingResponse: true
        case .waiting, .paused, .succeeded, .failed, .cancelled: false
        }
    }
}
