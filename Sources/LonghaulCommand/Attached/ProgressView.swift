import LonghaulCore

/// The live area: text from the state of the transfers and the size of the terminal.
struct ProgressView: Equatable, Sendable {
    let session: SessionID
    var size: Console.Size

    /// Most names fit into this width. A wider terminal extends the bar first, then the name.
    private static let nameWidth = 48
    private static let mostGauge = 40

    /// The last column stays empty: writing into it makes some terminals begin a new line.
    private var width: Int { max(0, size.columns - 1) }

    func lines(_ book: WatchedTransfers, now: WallTime) -> [String] {
        guard !book.isFinished else { return [] }
        let shown = Self.first(max(1, size.rows - 2), of: book.live.values)
        var lines = shown.map { line($0, now: now) }
        if lines.isEmpty, let example = book.exampleOfQueued { lines = [line(example, now: now)] }
        if book.count > 1 || lines.isEmpty {
            let movement = Movement(book.live.values, hasOthers: !book.queued.isEmpty).text
            let totals = [ReportText.totals(book), movement].filter { !$0.isEmpty }
            lines.append(DisplayText.cut(totals.joined(separator: "; "), width))
        }
        return lines
    }

    /// One transfer in one line: a bar while bytes move, otherwise words.
    func line(_ transfer: TransferSnapshot, now: WallTime) -> String {
        switch transfer.state {
        case .running(.sending), .running(.receiving): bar(transfer)
        case .running(.preparing), .running(.verifying), .waiting, .awaitingResponse, .paused, .succeeded, .failed,
            .cancelled:
            words(transfer, StateText.phrase(transfer, in: session, now: now))
        }
    }

    private func words(_ transfer: TransferSnapshot, _ phrase: String) -> String {
        DisplayText.cut(DisplayText.cut(name(transfer), max(8, width / 3)) + "  " + phrase, width)
    }

    private func name(_ transfer: TransferSnapshot) -> String {
        TransferTable.mark(transfer.direction) + " " + DisplayText.clean(transfer.name)
    }

    private func bar(_ transfer: TransferSnapshot) -> String {
        let percent = HumanText.percent(transfer.bytesDone, of: transfer.bytesTotal)
        // The total is the reference of all other numbers, so it goes last.
        var fields = [width >= 30 ? right(amount(transfer, percent), 20) : right(percent.map { "\($0)%" } ?? "", 6)]
        if width >= 48 { fields.append(right(HumanText.rate(transfer.rate), 14)) }
        if width >= 58 { fields.append(right(transfer.timeLeft, 9)) }
        let taken = fields.reduce(0) { $0 + DisplayText.width($1) }
        if width >= 72 {
            let gauge = min(Self.mostGauge, max(width / 5, width - taken - Self.nameWidth - 1))
            fields.insert(" " + self.gauge(percent, gauge), at: 0)
        }
        let tail = fields.joined()
        return DisplayText.cut(DisplayText.fit(name(transfer), max(0, width - DisplayText.width(tail))) + tail, width)
    }

    private func amount(_ transfer: TransferSnapshot, _ percent: Int?) -> String {
        guard let percent, let total = transfer.bytesTotal else { return HumanText.bytes(transfer.bytesDone) }
        return tr("\(percent)% of \(HumanText.bytes(total))")
    }

    private func gauge(_ percent: Int?, _ columns: Int) -> String {
        let inside = max(0, columns - 2)
        let filled = (percent ?? 0) * inside / 100
        let body = String(repeating: "=", count: filled) + (filled < inside ? ">" : "")
        return "[" + body + String(repeating: " ", count: max(0, inside - filled - 1)) + "]"
    }

    private func right(_ text: String, _ columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - DisplayText.width(text))) + text
    }

    /// The most interesting `limit` transfers, without sorting all of what may be very many.
    private static func first(
        _ limit: Int, of transfers: some Sequence<TransferSnapshot>
    ) -> [TransferSnapshot] {
        var best: [TransferSnapshot] = []
        for transfer in transfers {
            if best.count == limit {
                guard let last = best.last, isBefore(transfer, last) else { continue }
                best.removeLast()
            }
            best.insert(transfer, at: best.firstIndex { isBefore(transfer, $0) } ?? best.endIndex)
        }
        return best
    }

    private static func isBefore(_ left: TransferSnapshot, _ right: TransferSnapshot) -> Bool {
        (rank(left.state), left.sequence) < (rank(right.state), right.sequence)
    }

    private static func rank(_ state: TransferState) -> Int {
        switch state {
        case .running, .awaitingResponse: 0
        case .waiting: 1
        case .paused: 2
        case .succeeded, .failed, .cancelled: 3
        }
    }
}
