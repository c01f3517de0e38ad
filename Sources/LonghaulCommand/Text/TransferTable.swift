import LonghaulCore

/// The table of `longhaul list`, built as bytes: ten thousand rows are one write. Programs that read it find the same columns
/// everywhere. On a terminal, rows fit its width.
struct TransferTable {
    struct Terminal: Equatable, Sendable {
        var columns: Int
        var usesColour: Bool
    }

    private(set) var bytes: [UInt8] = []
    private let session: SessionID
    private let now: WallTime
    private let terminal: Terminal?
    private let layout: Layout
    /// Limits that a row above names: a long queue waits for one.
    private var shownLimits: Set<String> = []

    /// - Parameter transfers: The transfers whose numbers and hosts have to fit, as far as they are known.
    init(session: SessionID, now: WallTime, terminal: Terminal? = nil, for transfers: [TransferSnapshot] = []) {
        self.session = session
        self.now = now
        self.terminal = terminal
        layout = Layout(
            terminal, largest: transfers.lazy.map(\.sequence).max(),
            longestHost: transfers.lazy.map { $0.host.utf8.count }.max())
    }

    mutating func header() {
        row(
            Row(
                number: "#", id: "ID", mark: " ", state: tr("STATE"), size: tr("SIZE"), rate: tr("RATE"),
                left: tr("LEFT"), age: tr("AGE"), host: tr("HOST"), name: tr("NAME")))
    }

    mutating func add(_ transfer: TransferSnapshot) {
        let name = DisplayText.clean(transfer.name)
        let host = DisplayText.clean(String(transfer.host))
        let size = transfer.sizeText
        let rate = transfer.rate > 0 ? HumanText.rate(transfer.rate) : ""
        let left = transfer.timeLeft
        row(
            Row(
                number: String(transfer.sequence), id: ShortID.text(transfer.id), mark: Self.mark(transfer.direction),
                state: Self.stateText(transfer, at: now), style: TopTable.style(transfer.state), size: size, rate: rate,
                left: left, age: HumanText.age(now - (transfer.endedAt ?? transfer.createdAt)), host: host, name: name))
        var rest: [String] = []
        // An ended transfer takes one line.
        if !transfer.state.isEnded, DisplayText.width(name) > layout.name { rest.append(name) }
        if !layout.isTable { rest += [size, host] }
        if !layout.hasRate { rest += [rate, left.isEmpty ? "" : tr("\(left) left")] }
        if !layout.isTable, transfer.state.isEnded { rest.insert(name, at: 0) }
        below(rest.filter { !$0.isEmpty }.joined(separator: ", "))
        reason(transfer)
    }

    /// Returns the number of lines that transfers take below the ones added so far.
    func lineCount(of transfers: [TransferSnapshot]) -> Int {
        var table = self
        table.bytes = []
        for transfer in transfers { table.add(transfer) }
        return table.bytes.count { $0 == UInt8(ascii: "\n") }
    }

    /// More about the transfer of the row above.
    private mutating func below(_ text: String) {
        guard !text.isEmpty else { return }
        guard let terminal else { return line(String(repeating: " ", count: layout.margin) + text) }
        for part in DisplayText.wrapped(text, max(20, terminal.columns) - layout.margin, breaksWords: true) {
            line(String(repeating: " ", count: layout.margin) + part)
        }
    }

    /// Why a transfer waits, and why it failed.
    private mutating func reason(_ transfer: TransferSnapshot) {
        switch transfer.state {
        case .waiting(let waiting)
        where waiting.reason != .turn || transfer.turnLimit == .heldHost
            || transfer.turnLimit != nil && shownLimits.insert(StateText.fullLimit(transfer)).inserted:
            below(StateText.phrase(transfer, in: session, now: now))
        case .failed(let failure):
            let summary = DisplayText.clean(failure.summary.translated)
            let columns = terminal.map { max(20, $0.columns) - layout.margin } ?? .max
            line(String(repeating: " ", count: layout.margin) + DisplayText.cut(summary, columns))
        case .waiting, .running, .awaitingResponse, .paused, .succeeded, .cancelled: break
        }
    }

    mutating func line(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Returns the bytes built so far, and starts over.
    mutating func removeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    private mutating func row(_ row: Row) {
        right(row.number, layout.number)
        put(layout.gap)
        left(row.id, 8)
        put(layout.gap)
        put(row.mark)
        put(" ")
        let state = layout.isTable ? DisplayText.cut(row.state, Layout.state) : row.state
        let isColoured = terminal?.usesColour == true && row.style.isColour
        put(isColoured ? "\u{1B}[\(row.style.rawValue)m\(state)\u{1B}[0m" : state)
        guard layout.isTable else {
            put("  ")
            return line(row.age)
        }
        pad(Layout.state - DisplayText.width(state))
        right(row.size, 11)
        if layout.hasRate {
            right(row.rate, 13)
            right(row.left, 9)
        }
        right(row.age, 5)
        put("  ")
        left(terminal == nil ? row.host : DisplayText.cut(row.host, layout.host), layout.host)
        put("  ")
        line(DisplayText.cut(row.name, layout.name))
    }

    private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func left(_ text: String, _ columns: Int) {
        put(text)
        pad(columns - DisplayText.width(text))
    }

    private mutating func right(_ text: String, _ columns: Int) {
        pad(columns - DisplayText.width(text))
        put(text)
    }

    private mutating func pad(_ count: Int) {
        if count > 0 { bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count)) }
    }

    private struct Row {
        var number: String
        var id: String
        var mark: String
        var state: String
        var style = Screen.Style.plain
        var size: String
        var rate: String
        var left: String
        var age: String
        var host: String
        var name: String
    }

    /// The widths of the columns.
    private struct Layout: Equatable {
        static let state = 17
        /// The ID, the mark, the state, the size, the age, and the spaces between them and before the host.
        private static let fixed = 8 + 2 + state + 11 + 5 + 2

        /// Whether each transfer has a row. A narrow terminal shows its name below its state.
        let isTable: Bool
        let hasRate: Bool
        let number: Int
        /// Before and after the ID.
        let gap: String
        let host: Int
        let name: Int
        let margin: Int

        init(_ terminal: Terminal?, largest: Int64?, longestHost: Int?) {
            let columns = terminal?.columns ?? .max
            isTable = columns >= 80
            hasRate = columns >= 110
            guard terminal != nil else {
                (number, gap, host, name, margin) = (4, "  ", 24, .max, 18)
                return
            }
            number = max(2, String(largest ?? 0).utf8.count)
            gap = hasRate ? "  " : " "
            // Below the state.
            margin = isTable ? number + 8 + 2 * gap.utf8.count + 2 : 4
            let room = columns - Self.fixed - number - 2 * gap.utf8.count - (hasRate ? 13 + 9 : 0)
            host = max(4, min(longestHost ?? .max, room * 2 / 5))
            name = isTable ? room - host - 2 : 0
        }
    }

    /// The direction of a transfer.
    static func mark(_ direction: TransferSnapshot.Direction) -> String {
        switch direction {
        case .download: "↓"
        case .upload: "↑"
        case .request: "⇄"
        }
    }

    private static func stateText(_ transfer: TransferSnapshot, at now: WallTime) -> String {
        let text = word(transfer.state, at: now)
        guard transfer.state == .paused && transfer.bytesDone > 0 || transfer.state.isRunning,
            let percent = HumanText.percent(transfer.bytesDone, of: transfer.bytesTotal)
        else { return text }
        let both = "\(text) \(percent)%"
        return DisplayText.width(both) <= Layout.state ? both : text
    }

    /// Returns the state in at most 17 columns, with the reason for waiting.
    static func word(_ state: TransferState, at now: WallTime) -> String {
        guard case .waiting(let waiting) = state else { return StateText.shown(state) }
        guard waiting.reason == .retry || waiting.reason == .serverBusy && !waiting.isServerTime(at: now) else {
            return waitingWord(waiting.reason)
        }
        guard let until = waiting.until, until > now else { return waitingWord(.retry) }
        return tr("retry in \(HumanText.clock((until - now).wholeSeconds))")
    }

    private static func waitingWord(_ reason: Waiting.Reason) -> String {
        switch reason {
        case .turn: tr("waiting: turn")
        case .notBefore: tr("waiting: time")
        case .retry: tr("waiting: retry")
        case .network: tr("waiting: network")
        case .diskSpace: tr("waiting: disk")
        case .credentials: tr("waiting: login")
        case .serverBusy: tr("waiting: server")
        case .metered: tr("waiting: metered")
        case .constrained: tr("waiting: low data")
        case .roaming: tr("waiting: roaming")
        case .power: tr("waiting: power")
        case .battery: tr("waiting: battery")
        case .hours: tr("waiting: hours")
        case .budget: tr("waiting: budget")
        case .sleep: tr("waiting: sleep")
        case .predecessor: tr("waiting: transfer")
        case .link: tr("waiting: link")
        case .idle: tr("waiting: idle")
        case .clock: tr("waiting: clock")
        case .mount: tr("waiting: mount")
        case .unlock: tr("waiting: unlock")
        }
    }
}

extension TransferSnapshot {
    /// The total, or the bytes so far; empty if both are unknown, and for a request without a body.
    var sizeText: String {
        if let bytesTotal, bytesTotal > 0 || direction != .request { return HumanText.bytes(bytesTotal) }
        return bytesDone > 0 ? HumanText.bytes(bytesDone) : ""
    }

    /// The remaining time at the current rate; empty if unknown.
    var timeLeft: String {
        guard let total = bytesTotal, rate > 0 else { return "" }
        return HumanText.clock((max(0, total - bytesDone) + rate - 1) / rate)
    }
}

extension TransferState {
    fileprivate var isRunning: Bool { if case .running = self { true } else { false } }
}

extension Duration {
    /// Seconds, rounded up: a countdown ends with 1.
    fileprivate var wholeSeconds: Int64 { (microseconds + 999_999) / 1_000_000 }
}
