import LonghaulCore

/// The table of `longhaul list`, built as bytes: ten thousand rows are one write. Programs that read it find the same columns everywhere; on
/// a terminal nothing is broken within a word, colours tell the states apart, and what moves says when it will be there.
struct TransferTable {
    /// Where a person reads it.
    struct Terminal: Equatable, Sendable {
        var columns: Int
        var usesColour: Bool

        /// Whether a row has room for all columns and a name.
        fileprivate var isWide: Bool { columns >= 80 }
        fileprivate var margin: Int { columns >= 60 ? 16 : 4 }
    }

    private(set) var bytes: [UInt8] = []
    /// Whether no transfer was added.
    private(set) var isEmpty = true
    private let session: SessionID
    private let now: WallTime
    private let terminal: Terminal?
    /// Full limits of rows above: a long queue waits for one.
    private var shownLimits: Set<String> = []

    init(session: SessionID, now: WallTime, terminal: Terminal? = nil) {
        self.session = session
        self.now = now
        self.terminal = terminal
    }

    mutating func header() {
        guard terminal?.isWide ?? true else { return line("  NO  ID        STATE") }
        row(number: "NO", id: Array("ID".utf8), state: "STATE", progress: "", size: "SIZE", rate: "RATE", name: "NAME")
    }

    mutating func add(_ transfer: TransferSnapshot) {
        isEmpty = false
        let percent = HumanText.percent(transfer.bytesDone, of: transfer.bytesTotal)
        let total = transfer.bytesTotal.map(HumanText.bytes)
        let size = total ?? (transfer.bytesDone > 0 ? HumanText.bytes(transfer.bytesDone) : "")
        let rate = transfer.rate > 0 ? HumanText.rate(transfer.rate) : ""
        let name = DisplayText.clean(transfer.name)
        let isWide = terminal?.isWide ?? true
        let style = terminal?.usesColour == true ? TopTable.style(transfer.state) : .plain
        let left = terminal == nil ? "" : transfer.leftPhrase
        // In the row there is room for all of it, for the name alone, or for nothing; the rest stands below.
        let room = isWide ? (terminal?.columns ?? .max) - Self.columnsBeforeName : 0
        let both = [name, left].filter { !$0.isEmpty }.joined(separator: ", ")
        let named = [both, name].first { DisplayText.width($0) <= room } ?? ""
        let rest = named == both ? "" : named == name ? left : both
        row(
            number: String(transfer.sequence), id: ShortID.bytes(transfer.id),
            state: Self.word(transfer.state, at: now),
            style: style, progress: percent.map { "\($0)%" } ?? "", size: isWide ? size : "", rate: isWide ? rate : "",
            name: named)
        below((isWide ? [rest] : [rest, size, rate]).filter { !$0.isEmpty }.joined(separator: ", "))
        if let reason = reason(transfer) { below(reason) }
    }

    private static let columnsBeforeName = 64

    /// More about the transfer of the row above.
    private mutating func below(_ text: String) {
        guard !text.isEmpty else { return }
        guard let terminal else { return line("                " + text) }
        for part in DisplayText.wrapped(text, max(20, terminal.columns) - terminal.margin, breaksWords: true) {
            line(String(repeating: " ", count: terminal.margin) + part)
        }
    }

    mutating func line(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Hands over what was built, and begins anew.
    mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    private mutating func row(
        number: String, id: [UInt8], state: String, style: Screen.Style = .plain, progress: String, size: String,
        rate: String, name: String
    ) {
        right(number, 4)
        pad(2)
        bytes.append(contentsOf: id)
        pad(8 - id.count + 2)
        bytes.append(contentsOf: style.isColour ? "\u{1B}[\(style.rawValue)m\(state)\u{1B}[0m".utf8 : state.utf8)
        pad(18 - state.utf8.count)
        right(progress, 5)
        if terminal == nil || !(size + rate + name).isEmpty {
            right(size, 11)
            right(rate, 12)
            pad(2)
        }
        line(name)
    }

    private mutating func right(_ text: String, _ columns: Int) {
        pad(columns - text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func pad(_ count: Int) {
        if count > 0 { bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count)) }
    }

    /// Short words that fit the column.
    static func word(_ state: TransferState, at now: WallTime) -> String {
        switch state {
        case .waiting(let waiting) where waiting.reason == .serverBusy && !waiting.isServerTime(at: now):
            waitingWord(.retry)
        case .waiting(let waiting): waitingWord(waiting.reason)
        case .running(.preparing): "preparing"
        case .running(.sending): "sending"
        case .running(.receiving): "receiving"
        case .running(.verifying): "checking"
        case .awaitingResponse: "awaiting response"
        case .paused: "paused"
        case .succeeded: "done"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    private static func waitingWord(_ reason: Waiting.Reason) -> String {
        switch reason {
        case .turn: "waiting: turn"
        case .notBefore: "waiting: date"
        case .retry: "waiting: retry"
        case .network: "waiting: network"
        case .diskSpace: "waiting: disk"
        case .credentials: "waiting: login"
        case .serverBusy: "waiting: server"
        case .metered: "waiting: metered"
        case .constrained: "waiting: low data"
        case .roaming: "waiting: roaming"
        case .power: "waiting: power"
        case .battery: "waiting: battery"
        case .hours: "waiting: hours"
        case .budget: "waiting: budget"
        case .sleep: "waiting: sleep"
        case .predecessor: "waiting: chain"
        case .link: "waiting: link"
        case .idle: "waiting: idle"
        case .clock: "waiting: clock"
        case .mount: "waiting: mount"
        }
    }

    /// A second line, where a person would ask why.
    private mutating func reason(_ transfer: TransferSnapshot) -> String? {
        switch transfer.state {
        case .waiting(let waiting)
        where waiting.reason != .turn || transfer.turnLimit == .heldHost
            || transfer.turnLimit != nil && shownLimits.insert(StateText.fullLimit(transfer)).inserted:
            StateText.phrase(transfer, in: session, now: now)
        case .failed(let failure): ErrorLine.words(failure, transfer.id, in: session)
        case .waiting, .running, .awaitingResponse, .paused, .succeeded, .cancelled: nil
        }
    }
}

extension TransferSnapshot {
    /// How long it will take at its present rate; empty where that is not known.
    var timeLeft: String {
        guard let total = bytesTotal, rate > 0 else { return "" }
        return HumanText.clock((max(0, total - bytesDone) + rate - 1) / rate)
    }

    fileprivate var leftPhrase: String { timeLeft.isEmpty ? "" : timeLeft + " left" }
}
