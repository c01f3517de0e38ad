import LonghaulCore

/// On a terminal: lines about ended transfers scroll up, and the area below them is redrawn.
struct LiveReport: Report {
    private let session: SessionID
    /// The group of all transfers of the command.
    private let group: String?
    private let console: Console
    private let printsPaths: Bool
    /// The widths of the lines on the screen, which lead back to the first one.
    private var drawn: [Int] = []
    private var size: Console.Size
    private var pending: [String] = []
    private var drawnAt: WallTime?
    private var isDirty = true

    init(session: SessionID, group: String? = nil, console: Console) {
        self.session = session
        self.group = group
        self.console = console
        printsPaths = console.printsPaths
        size = console.size()
    }

    mutating func submitted(_ id: TransferID, _ spec: TransferSpec, isNew: Bool) {
        if !isNew { pending.append(ReportText.existing(id, spec)) }
    }

    mutating func problem(_ subject: String?, _ failure: TransferFailure) {
        write(ErrorLine.text(failure, subject: subject, in: session), .red)
    }

    mutating func changed(_ change: WatchedTransfers.Change, now: WallTime) {
        isDirty = true
        let transfer = change.after
        for remark in [ReportText.restartNotice(change), ReportText.unresumable(change)].compactMap(\.self) {
            write(DisplayText.clean(transfer.name) + ": " + remark)
        }
        guard transfer.state.isEnded else { return }
        if case .failed = transfer.state {
            write(ReportText.ended(transfer, in: session), .red)
        } else {
            write(ReportText.ended(transfer, in: session), .green)
        }
        if printsPaths { FinishedPath.print(transfer, console) }
    }

    mutating func notice(_ sentence: String) {
        write("longhaul: " + sentence)
    }

    /// At most ten times a second when something changed, and once a second for the countdowns.
    mutating func refresh(_ book: WatchedTransfers, now: WallTime) {
        if let drawnAt, now >= drawnAt {
            let age = now - drawnAt
            guard age >= (isDirty || !pending.isEmpty ? .milliseconds(95) : .seconds(1)) else { return }
        }
        draw(ProgressView(session: session, size: size).lines(book, now: now))
        drawnAt = now
        isDirty = false
    }

    mutating func resized() {
        size = console.size()
        isDirty = true
    }

    mutating func finish(_ book: WatchedTransfers, status: ExitStatus, now: WallTime) {
        if book.count > 1 {
            pending.append(ReportText.totals(book))
            pending += ReportText.failures(book, in: session, group: group, columns: size.columns)
        }
        draw([])
    }

    func hint(_ sentence: String) {
        console.say(sentence)
    }

    private mutating func draw(_ lines: [String]) {
        guard !lines.isEmpty || !pending.isEmpty || !drawn.isEmpty else { return }
        var output = toFirstDrawnLine()
        for line in pending { output += line + "\u{1B}[K\n" }
        for line in lines { output += line + "\u{1B}[K\n" }
        output += "\u{1B}[J"
        console.writeError(Array(output.utf8))
        pending = []
        drawn = lines.map { DisplayText.width($0) }
    }

    /// A terminal that became narrower has wrapped the lines.
    private func toFirstDrawnLine() -> String {
        let columns = max(1, size.columns)
        let rows = drawn.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
        return rows > 0 ? "\r\u{1B}[\(rows)A" : "\r"
    }

    private mutating func write(_ text: String, _ colour: Colour? = nil) {
        pending += console.wrapped(text).map { line in colour.map { coloured(line, $0) } ?? line }
    }

    private enum Colour: Int {
        case red = 31
        case green = 32
    }

    private func coloured(_ text: String, _ colour: Colour) -> String {
        console.usesColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
