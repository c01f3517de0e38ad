import LonghaulCore

/// Draws what `top` knows: pure, from a state to a screen.
struct TopView {
    private let state: TopState
    private let visible: [TransferID]
    private let now: WallTime
    private var screen: Screen

    /// Lines of a panel that are seen at once: all but its title and the line at the bottom.
    static func panelRoom(_ size: Console.Size) -> Int { max(1, size.rows - 2) }

    static func screen(_ state: inout TopState, now: WallTime) -> Screen {
        let visible = state.visible
        var view = TopView(state: state, visible: visible, now: now, screen: Screen(state.size))
        switch state.mode {
        case .list, .prompt, .question: view.drawList()
        case .help: view.drawPanel("Keys", helpLines, first: 0)
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
        let speed = HumanText.rate(state.rate) + (state.limit.map { " of \(HumanText.rate($0))" } ?? "")
        let counts = [
            "\(totals.running) running", "\(totals.waiting) waiting", "\(totals.paused) paused",
            "\(totals.succeeded) done", "\(totals.failed) failed",
        ]
        let summary = speed + "   " + counts.joined(separator: ", ")
        screen.line(summary, row: 0, .bold)
        let table = TopTable(columns: columns, now: now)
        screen.line(table.header, row: 2, .reversed)
        if visible.isEmpty {
            let text = state.book.isComplete ? "No active transfers. Start one: longhaul URL" : "Reading the list …"
            screen.put(DisplayText.cut("  " + text, columns), row: 3)
        }
        for (offset, id) in visible.enumerated() where 3 + offset < bottom - 1 {
            guard let transfer = state.book.transfers[id] else { continue }
            let isSelected = id == state.selected
            let line = (isSelected ? "> " : "  ") + table.row(transfer)
            screen.line(line, row: 3 + offset, isSelected ? .reversed : TopTable.style(transfer.state))
        }
        let order = state.book.transfers.count
        if order > visible.count {
            let place = "\(state.first + 1)-\(state.first + visible.count) of \(order)"
            let column = columns - place.utf8.count
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
        case .panel, .help: text = "arrows move, any other key goes back"
        case .list:
            if let said = state.trouble ?? state.message {
                text = DisplayText.clean(said)
                style = state.trouble == nil ? .bold : .red
            } else {
                text = Self.keys(in: columns)
                style = .cyan
            }
        }
        // Of a line that is typed its end is seen.
        var shown = text
        while DisplayText.width(shown) > columns, case .prompt = state.mode { shown.removeFirst() }
        screen.line(shown, row: bottom, style)
    }

    /// The keys that there is room for: how one leaves is always among them.
    private static func keys(in columns: Int) -> String {
        let last = "? keys  q quit"
        let words = ["p pause", "r resume", "c cancel", "f l order", "s rate", "i why", "h history"]
        return words.reduce(into: []) { told, word in
            let longer = (told + [word, last]).joined(separator: "  ")
            if longer.utf8.count <= columns { told.append(word) }
        }.joined(separator: "  ") + "  " + last
    }

    private static func words(_ prompt: TopState.Prompt) -> String {
        switch prompt {
        case .rate(_, let name): "Speed of \(DisplayText.cut(DisplayText.clean(name), 24)) (500k, 2M, none): "
        case .wholeRate: "Speed of the whole session (500k, 2M, none): "
        case .search: "Find: "
        }
    }

    /// Lines that fit, broken at spaces where there are some.
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

/// The columns of the list, as many as there is room for.
struct TopTable {
    let columns: Int
    let now: WallTime

    private var hasTime: Bool { columns >= 72 }
    private var hasSize: Bool { columns >= 60 }
    private var hasRate: Bool { columns >= 48 }

    /// Columns that are not the name's or the gauge's: the mark, the state, the percentage and what there is room for.
    private var taken: Int { 2 + 18 + 5 + (hasRate ? 13 : 0) + (hasSize ? 12 : 0) + (hasTime ? 9 : 0) }
    private var gauge: Int { columns >= 100 ? (columns - taken) / 3 : 0 }
    private var name: Int { max(0, columns - taken - gauge) }

    var header: String {
        line(name: "  NAME", state: "STATE", gauge: "", percent: "", size: "SIZE", rate: "RATE", left: "LEFT", 2)
    }

    /// Without the two columns of the mark.
    func row(_ transfer: TransferSnapshot) -> String {
        let percent =
            transfer.state.isMoving || transfer.bytesDone > 0
            ? HumanText.percent(transfer.bytesDone, of: transfer.bytesTotal) : nil
        let size = transfer.bytesTotal.map(HumanText.bytes)
        return line(
            name: DisplayText.clean(transfer.name), state: TransferTable.word(transfer.state, at: now),
            gauge: gauge(percent),
            percent: percent.map { "\($0)%" } ?? "",
            size: size ?? (transfer.bytesDone > 0 ? HumanText.bytes(transfer.bytesDone) : ""),
            rate: transfer.rate > 0 ? HumanText.rate(transfer.rate) : "", left: transfer.timeLeft, 0)
    }

    private func line(
        name text: String, state: String, gauge: String, percent: String, size: String, rate: String, left: String,
        _ more: Int
    ) -> String {
        var line = DisplayText.fit(DisplayText.cut(text, name + more - 1), name + more) + DisplayText.fit(state, 18)
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
