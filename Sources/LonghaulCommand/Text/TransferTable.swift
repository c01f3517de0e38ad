import LonghaulCore

/// The table of `longhaul list`, built as bytes: ten thousand rows are one write.
struct TransferTable {
    private(set) var bytes: [UInt8] = []
    /// Whether no transfer was added.
    private(set) var isEmpty = true
    private let now: WallTime

    init(now: WallTime) {
        self.now = now
    }

    mutating func header() {
        row(number: "NO", id: Array("ID".utf8), state: "STATE", progress: "", size: "SIZE", rate: "RATE", name: "NAME")
    }

    mutating func add(_ transfer: TransferSnapshot) {
        isEmpty = false
        let percent = HumanText.percent(transfer.bytesDone, of: transfer.bytesTotal)
        let total = transfer.bytesTotal.map(HumanText.bytes)
        row(
            number: String(transfer.sequence), id: ShortID.bytes(transfer.id), state: Self.word(transfer.state),
            progress: percent.map { "\($0)%" } ?? "",
            size: total ?? (transfer.bytesDone > 0 ? HumanText.bytes(transfer.bytesDone) : ""),
            rate: transfer.rate > 0 ? HumanText.rate(transfer.rate) : "", name: DisplayText.clean(transfer.name))
        if let reason = reason(transfer) { line("                " + reason) }
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
        number: String, id: [UInt8], state: String, progress: String, size: String, rate: String, name: String
    ) {
        right(number, 4)
        pad(2)
        bytes.append(contentsOf: id)
        pad(8 - id.count + 2)
        bytes.append(contentsOf: state.utf8)
        pad(18 - state.utf8.count)
        right(progress, 5)
        right(size, 11)
        right(rate, 12)
        pad(2)
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
    static func word(_ state: TransferState) -> String {
        switch state {
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
        }
    }

    /// A second line, where a person would ask why.
    private func reason(_ transfer: TransferSnapshot) -> String? {
        switch transfer.state {
        case .waiting(let waiting) where waiting.reason != .turn || transfer.turnLimit == .heldHost:
            StateText.phrase(transfer, now: now)
        case .failed(let failure): ErrorLine.words(failure, transfer.id)
        case .waiting, .running, .awaitingResponse, .paused, .succeeded, .cancelled: nil
        }
    }
}
