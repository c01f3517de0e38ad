import LonghaulCore

/// Copies the readable content of a damaged store to a new one.
///
/// It scans every page for rows, so that a lost page costs only its own rows. If a transfer's spec is readable but its progress is not,
/// the transfer fails, and can be retried: no request is sent twice without the user or the app requesting it.
struct Salvage {
    let image: StoreImage
    let finds: StoreFinds
    let store: Store
    private let now: WallTime
    var report = SalvageReport()
    /// Transfers in the memory of the process, for those that cannot be read.
    private let remembered: [Int64: StoredTransfer]
    /// The transfers of the new store.
    private(set) var known: [Int64: TransferID] = [:]
    private(set) var ids: Set<TransferID> = []
    private var keys: Set<String> = []

    private init(_ image: StoreImage, _ store: Store, _ remembered: [StoredTransfer], _ now: WallTime) {
        self.image = image
        self.store = store
        self.now = now
        finds = StoreFinds(image)
        self.remembered = Dictionary(remembered.map { ($0.record.sequence, $0) }) { first, _ in first }
    }

    /// Fills a new store in one transaction. The caller adds the reason to the report.
    static func run(
        from image: StoreImage, into store: Store, remembered: [StoredTransfer], now: WallTime
    ) throws(TransferFailure) -> SalvageReport {
        var salvage = Salvage(image, store, remembered, now)
        try store.begin()
        try salvage.bringTransfers()
        try salvage.bringHistory()
        try salvage.bringSettings()
        try salvage.bringTasks()
        try salvage.bringEvents()
        try store.restoreNumbers(
            sequence: salvage.newestSequence, event: salvage.newestEvent, line: salvage.newestLine)
        try store.commit()
        return salvage.report
    }

    private var newestSequence: Int64 {
        max(
            finds.sequences["transfer"] ?? 0, finds.transfers.keys.max() ?? 0, finds.specs.keys.max() ?? 0,
            store.newestSequence)
    }

    private var newestLine: Int64 {
        let noted = finds.settings.filter { $0.text(0) == "historyNumber" }.compactMap { $0.number(1) }
        return max(finds.newestLine, noted.filter(Store.givenNumbers.contains).max() ?? 0)
    }

    private var newestEvent: Int64 {
        max(finds.sequences["event"] ?? 0, finds.events.map(\.rowID).max() ?? 0)
    }

    private mutating func bringTransfers() throws(TransferFailure) {
        var incomplete: [Int64] = []
        let sequences = Set(finds.transfers.keys).union(finds.specs.keys).union(remembered.keys).sorted()
        for sequence in sequences {
            let whole = whole(sequence) ?? remembered[sequence].map(Whole.init)
            if let whole, ids.insert(whole.record.id).inserted {
                try bring(whole)
                report.saved += 1
            } else {
                incomplete.append(sequence)
            }
        }
        let index = indexed()
        for sequence in incomplete { try bringRest(of: sequence, index) }
        for (sequence, id) in index.sorted(by: { $0.key < $1.key }) where !ids.contains(id) {
            report.lost.append(SalvageReport.Mention(id: id, key: finds.keys[sequence]))
        }
    }

    /// A readable transfer.
    private struct Whole {
        var record: TransferRecord
        var key: String?
        var host: String

        init(_ record: TransferRecord, key: String?, host: String) {
            (self.record, self.key, self.host) = (record, key, host)
        }

        init(_ stored: StoredTransfer) {
            let options = stored.record.spec.options
            self.init(stored.record, key: options.keyConflict == .append ? nil : options.key, host: stored.host)
        }
    }

    private func whole(_ sequence: Int64) -> Whole? {
        for row in rows(finds.transfers[sequence]) {
            guard let id = row.id(1), let host = row.text(4), row.kinds[2] == .null || row.text(2) != nil,
                let state: TransferState = row.message(11), let facts: TransferFacts = row.message(12),
                let spec = spec(of: sequence)
            else { continue }
            var record = TransferRecord(id: id, spec: spec, state: state, createdAt: facts.createdAt)
            record.sequence = sequence
            record.facts = facts
            return Whole(record, key: row.text(2), host: host)
        }
        return nil
    }

    private func spec(of sequence: Int64) -> TransferSpec? {
        for row in rows(finds.specs[sequence]) {
            if let spec: TransferSpec = row.message(1) { return spec }
        }
        return nil
    }

    /// Returns the rows, newest first.
    private func rows(_ places: [StoreFinds.Place]?) -> [RawRow] {
        (places ?? []).sorted { $0.age > $1.age }.compactMap { RawPage($0.page, of: image)?.row($0.cell) }
    }

    private mutating func bring(_ whole: Whole) throws(TransferFailure) {
        var whole = whole
        if let key = whole.key, !keys.insert(key).inserted { whole.key = nil }
        try store.restore(whole.record, key: whole.key, host: whole.host)
        known[whole.record.sequence] = whole.record.id
    }

    /// Returns the identifiers by sequence number, from the index of transfers. The index of events looks the same except for its
    /// numbers: its pages have identifiers of known transfers with other numbers.
    private func indexed() -> [Int64: TransferID] {
        var index: [Int64: TransferID] = [:]
        let sequences = Dictionary(known.map { ($0.value, $0.key) }) { first, _ in first }
        for page in finds.identifierPages {
            let strangers = page.count { sequences[$0.id].map { [number = $0.number] in $0 != number } ?? false }
            guard strangers * 2 < page.count else { continue }
            for (id, number) in page where sequences[id] == nil && known[number] == nil { index[number] = id }
        }
        return index
    }

    private mutating func bringRest(of sequence: Int64, _ index: [Int64: TransferID]) throws(TransferFailure) {
        let row = rows(finds.transfers[sequence]).first
        let spec = spec(of: sequence)
        var mention = SalvageReport.Mention(
            id: row?.id(1) ?? index[sequence], key: row?.text(2) ?? finds.keys[sequence], group: row?.text(3),
            name: row?.text(4))
        if let spec {
            mention.group = spec.options.group
            mention.name = (try? TransferURL(parsing: spec.url))?.redacted ?? mention.name
        }
        guard let id = mention.id, let spec, ids.insert(id).inserted else {
            // A transfer that exists under two numbers is not lost.
            if mention.id.map({ !ids.contains($0) }) ?? true { report.lost.append(mention) }
            if let id = mention.id { ids.insert(id) }
            return
        }
        let failure = TransferFailure(
            .storeDamaged,
            "The queue was damaged, and the progress of this transfer is lost; it may even have ended. Retry to restart it."
        )
        var record = TransferRecord(id: id, spec: spec, state: .failed(failure), createdAt: Self.birth(of: id))
        record.sequence = sequence
        record.facts.endedAt = now
        record.facts.lastFailure = failure
        try bring(
            Whole(record, key: mention.key, host: row?.text(4) ?? (try? TransferURL(parsing: spec.url))?.origin ?? ""))
        report.unsure.append(mention)
    }

    /// Returns the creation time, whose milliseconds begin the identifier.
    private static func birth(of id: TransferID) -> WallTime {
        WallTime(microseconds: Int64(id.high >> 16) * 1_000)
    }
}
