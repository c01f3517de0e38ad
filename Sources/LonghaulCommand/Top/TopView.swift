import LonghaulCore

/// Draws the state of `top` to a screen.
struct TopView {
    private let state: TopState
    private let visible: [TransferID]
    private let now: WallTime
    private var screen: Screen

    /// The number of visible lines of a panel: all except its title and the line at the bottom.
    static func panelRoom(_ size: Console.Size) -> Int { max(1, size.rows - 2) }

    static func screen(_ state: inout TopState, now: WallTime) -> Screen {
        let visible = state.visible
        var view = TopView(state: state, visible: visible, now: now, screen: Screen(state.size))
        switch state.mode {
        case .list, .prompt, .question: view.drawList()
        case .help: view.drawPanel(tr("Keys"), helpLines, first: 0)
        case .panel(let title, let lines, let first): view.drawPanel(title, lines, first: first)
        }
        view.drawBottom()
        return view.screen
    }

    private static var helpLines: [String] {
        TopState.help.map { "  " + DisplayText.fit($0.0, 14) + $0.1 }
    }

    private var columns: Int { state.size.columns }
    private var bottom: Int { state.size.rows - 1 }

    private mutating func drawList() {
        let totals = state.totals
        let rate = HumanText.rate(state.rate)
        let speed = state.limit.map { tr("\(rate) of \(HumanText.rate($0))") } ?? rate
        let counts =
            [
                tr("\(totals.running) running"), tr("\(totals.waiting) waiting"), tr("\(totals.paused) paused"),
                tr("\(totals.succeeded) succeeded"), tr("\(totals.failed) failed"),
            ] + (totals.cancelled > 0 ? [tr("\(totals.cancelled) cancelled")] : [])
        let summary = speed + "   " + counts.joined(separator: ", ")
        screen.line(summary, row: 0, .bold)
        let live = state.book.transfers.values.filter { !$0.state.isEnded }
        if live.count > 1 { screen.line(Movement(live, rate: state.rate).text, row: 1) }
        let shown = visible.compactMap { state.book.transfers[$0] }
        let table = TopTable(columns: columns, now: now, for: shown)
        screen.line(table.header, row: 2, .reversed)
        if visible.isEmpty {
            let text =
                state.book.isComplete ? tr("No active transfers. Start one: longhaul URL") : tr("Reading the list …")
            screen.put(DisplayText.cut("  " + text, columns), row: 3)
        }
        for (offset, transfer) in shown.enumerated() where 3 + offset < bottom - 1 {
            let isSelected = transfer.id == state.selected
            let line = (isSelected ? "> " : "  ") + table.row(transfer)
            screen.line(line, row: 3 + offset, isSelected ? .reversed : TopTable.style(transfer.state))
        }
        let order = state.book.transfers.count
        if order > visible.count {
            let place = tr("\(state.first + 1)-\(state.first + visible.count) of \(order)")
            let column = columns - DisplayText.width(place)
            if column > DisplayText.width(summary) { screen.put(place, row: 0, column: column, .bold) }
        }
        if let transfer = state.selectedTransfer, bottom > 4 {
            let phrase =
                DisplayText.clean(transfer.name) + ": " + StateText.phrase(transfer, in: state.session, now: now)
            screen.put(DisplayText.cut(phrase, columns), row: bottom - 1)
        }
    }

    private mutating func drawPanel(_ title: String, _ lines: [String], first: Int) {
        screen.line(DisplayText.clean(title), row: 0, .reversed)
        let seen = Self.wrapped(lines, columns).dropFirst(first).prefix(Self.panelRoom(state.size))
        for (offset, line) in seen.enumerated() { screen.put(line, row: 1 + offset) }
    }

    private mutating func drawBottom() {
        let text: String
        var style = Screen.Style.plain
        switch state.mode {
        case .prompt(let prompt, let typed): text = Self.words(prompt) + typed + "_"
        case .question(let question, _):
            text = question
            style = .bold
        case .panel, .help: text = tr("Arrows scroll; any other key returns")
        case .list:
            if let said = state.trouble ?? state.message {
                text = DisplayText.clean(said)
                style = state.trouble == nil ? .bold : .red
            } else {
                text = Self.keys(in: columns)
                style = .cyan
            }
        }
        // The end of a typed line stays visible.
        var shown = text
        while DisplayText.width(shown) > columns, case .prompt = state.mode { shown.removeFirst() }
        screen.line(shown, row: bottom, style)
    }

    /// The keys that fit. Those for help and for quitting always do.
    private static func keys(in columns: Int) -> String {
        let last = tr("? keys  q quit")
        let words = [
            tr("p pause"), tr("r resume"), tr("c cancel"), tr("f l order"), tr("s rate"), tr("i why"), tr("h history"),
            tr("t retry"), tr("d remove"),
        ]
        return words.reduce(into: []) { told, word in
            let longer = (told + [word, last]).joined(separator: "  ")
            if DisplayText.width(longer) <= columns { told.append(word) }
        }.joined(separator: "  ") + "  " + last
    }

    private static func words(_ prompt: TopState.Prompt) -> String {
        switch prompt {
        case .rate(_, let name): tr("Speed of \(DisplayText.cut(DisplayText.clean(name), 24)) (500k, 2M, none): ")
        case .wholeRate: tr("Speed of the whole session (500k, 2M, none): ")
        case .search: tr("Find: ")
        }
    }

    /// Wraps lines at spaces.
    static func wrapped(_ lines: [String], _ columns: Int) -> [String] {
        lines.flatMap { line -> [String] in
            var (done, current): ([String], String) = ([], "")
            for word in DisplayText.clean(line).split(separator: " ", omittingEmptySubsequences: false) {
                let longer = current.isEmpty && done.isEmpty ? String(word) : current + " " + word
                if DisplayText.width(longer) <= columns || current.isEmpty {
                    current = current.isEmpty && !done.isEmpty ? "  " + word : longer
                } else {
                    done.append(current)
                    current = "  " + word
                }
            }
            return (done + [current]).map { DisplayText.cut($0, columns) }
        }
    }
}

/// The columns of the list, as many as fit.
struct TopTable {
    private let columns: Int
    private let now: WallTime
    private let longestHost: Int
    private let longestName: Int

    private static let state = 18
    private static let mostGauge = 40

    /// - Parameter transfers: The transfers whose names and hosts have to fit.
    init(columns: Int, now: WallTime, for transfers: [TransferSnapshot]) {
        self.columns = columns
        self.now = now
        longestHost = transfers.map { DisplayText.width(DisplayText.clean(String($0.host))) }.max() ?? 0
        longestName = transfers.map { DisplayText.width(DisplayText.clean($0.name)) }.max() ?? 0
    }

    private var hasHost: Bool { columns >= 120 }
    private var hasTime: Bool { columns >= 72 }
    private var hasRate: Bool { columns >= 60 }
    private var hasSize: Bool { columns >= 48 }

    private var host: Int { hasHost ? max(8, min(24, longestHost + 2)) : 0 }
    /// All columns except the name, the host, and the gauge.
    private var taken: Int { 2 + Self.state + 5 + (hasSize ? 12 : 0) + (hasRate ? 13 : 0) + (hasTime ? 9 : 0) }
    /// A third of the room, or as much as the names leave.
    private var gauge: Int {
        guard columns >= 100 else { return 0 }
        let room = columns - taken - host
        return min(Self.mostGauge, max(room / 3, room - longestName - 3))
    }
    private var name: Int { max(0, columns - taken - host - gauge) }

    var header: String {
        line(
            name: "  " + tr("NAME"), host: tr("HOST"), state: tr("STATE"), gauge: "", percent: "", size: tr("SIZE"),
            rate: tr("RATE"), left: tr("LEFT"), 2)
    }

    /// Returns the row without the two columns of the selection mark.
    func row(_ transfer: TransferSnapshot) -> String {
        let percent =
            transfer.state.isMoving || transfer.bytesDone > 0
            ? HumanText.percent(transfer.bytesDone, of: transfer.bytesTotal) : nil
        return line(
            name: TransferTable.mark(transfer.direction) + " " + DisplayText.clean(transfer.name),
            host: DisplayText.clean(String(transfer.host)), state: TransferTable.word(transfer.state, at: now),
            gauge: gauge(percent), percent: percent.map { "\($0)%" } ?? "",
            size: transfer.sizeText,
            rate: transfer.rate > 0 ? HumanText.rate(transfer.rate) : "", left: transfer.timeLeft, 0)
    }

    private func line(
        name text: String, host: String, state: String, gauge: String, percent: String, size: String, rate: String,
        left: String, _ more: Int
    ) -> String {
        var line = DisplayText.fit(DisplayText.cut(text, name + more - 1), name + more)
        if hasHost { line += DisplayText.fit(DisplayText.cut(host, self.host - 1), self.host) }
        line += DisplayText.fit(DisplayText.cut(state, Self.state - 1), Self.state)
        line += DisplayText.fit(gauge, self.gauge) + right(percent, 5)
        if hasSize { line += right(size, 12) }
        if hasRate { line += right(rate, 13) }
        if hasTime { line += right(left, 9) }
        return line
    }

    private func right(_ text: String, _ columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - DisplayText.width(text))) + text
    }

    private func gauge(_ percent: Int?) -> String {
        guard gauge > 4, let percent else { return "" }
        let filled = percent * (gauge - 3) / 100
        return "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: gauge - 3 - filled) + "]"
    }

    static func style(_ state: TransferState) -> Screen.Style {
        switch state {
        case .running, .awaitingResponse, .paused, .cancelled: .plain
        case .waiting(let waiting): waiting.reason == .turn ? .plain : .yellow
        case .succeeded: .green
        case .failed: .red
        }
    }
}

extension TransferState {
    fileprivate var isMoving: Bool { if case .running = self { true } else { false } }
}
