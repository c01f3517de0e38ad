import LonghaulCore

/// The content of a damaged store's pages, sorted by the shape of the rows, because the tables that assign pages to tables may be
/// damaged.
struct StoreFinds {
    /// The location of a row.
    struct Place {
        var page: UInt32
        var cell: Int
        var age: Int
    }

    /// Rows of `transfer` and of `spec` by their sequence number. There are several for one number if an older page still exists.
    private(set) var transfers: [Int64: [Place]] = [:]
    private(set) var specs: [Int64: [Place]] = [:]
    /// Pages of `history`.
    private(set) var historyPages: [UInt32] = []
    private(set) var newestLine: Int64 = 0
    /// Rows of the small tables, oldest pages first.
    private(set) var events: [RawRow] = []
    private(set) var tasks: [RawRow] = []
    private(set) var settings: [RawRow] = []
    /// The highest assigned numbers, by the table's name.
    private(set) var sequences: [String: Int64] = [:]
    /// The entries of each page of an index of identifiers: that of transfers, or that of events.
    private(set) var identifierPages: [[(id: TransferID, number: Int64)]] = []
    /// Keys by the sequence number of their holder.
    private(set) var keys: [Int64: String] = [:]

    init(_ image: StoreImage) {
        let free = image.freePages
        var small: [(row: RawRow, age: Int, isTask: Bool?)] = []
        // A stride, because a range could overflow at the highest page number.
        for number in stride(from: UInt32(1), through: image.pageCount, by: 1) where !free.contains(number) {
            guard let page = RawPage(number, of: image) else { continue }
            switch page.kind {
            case .rows: takeRows(of: page, number, &small)
            case .entries: takeEntries(of: page, number, &small)
            }
        }
        for (row, _, isTask) in small.sorted(by: { $0.age < $1.age }) {
            switch isTask {
            case true?: tasks.append(row)
            case false?: settings.append(row)
            case nil: events.append(row)
            }
        }
    }

    private mutating func takeRows(
        of page: RawPage, _ number: UInt32, _ small: inout [(row: RawRow, age: Int, isTask: Bool?)]
    ) {
        for cell in 0..<page.cellCount {
            guard let row = page.row(cell) else { continue }
            let place = Place(page: number, cell: cell, age: page.age)
            switch row.shape {
            case .transfer: if isGiven(row.rowID) { transfers[row.rowID, default: []].append(place) }
            case .spec: if isGiven(row.rowID) { specs[row.rowID, default: []].append(place) }
            case .event: if isGiven(row.rowID) { small.append((row, page.age, nil)) }
            case .textAndNumber:
                guard let name = row.text(0), ["transfer", "event"].contains(name), let value = row.number(1),
                    isGiven(value)
                else { continue }
                sequences[name] = max(sequences[name] ?? 0, value)
            case .history, .task, .setting, .identifier, nil: continue
            }
        }
    }

    private func isGiven(_ number: Int64) -> Bool { number > 0 && Store.givenNumbers.contains(number) }

    private mutating func takeEntries(
        of page: RawPage, _ number: UInt32, _ small: inout [(row: RawRow, age: Int, isTask: Bool?)]
    ) {
        var identifiers: [(id: TransferID, number: Int64)] = []
        var named: [RawRow] = []
        var isOfSettings = false
        var isOfHistory = false
        for cell in 0..<page.cellCount {
            guard let row = page.row(cell) else { continue }
            switch row.shape {
            case .history:
                isOfHistory = true
                if let number = row.number(1), isGiven(number) { newestLine = max(newestLine, number) }
            case .task: small.append((row, page.age, true))
            case .identifier: if let id = row.id(0), let number = row.number(1) { identifiers.append((id, number)) }
            case .textAndNumber: named.append(row)
            case .setting:
                isOfSettings = true
                named.append(row)
            case .transfer, .spec, .event, nil: continue
            }
        }
        if isOfHistory { historyPages.append(number) }
        if !identifiers.isEmpty { identifierPages.append(identifiers) }
        // A text and a number are a setting, or a key with its holder; only pages of settings have rows of other shapes too.
        for row in named {
            if isOfSettings {
                small.append((row, page.age, false))
            } else if let key = row.text(0), let holder = row.number(1) {
                keys[holder] = key
            }
        }
    }
}

extension RawRow {
    /// The table, according to the types of the columns.
    enum Shape {
        case transfer, spec, event, history, task, setting, identifier, textAndNumber
    }

    var shape: Shape? {
        switch kinds {
        // Rows last written before the column `standing` existed end without it.
        case let kinds where (13...14).contains(kinds.count): isTransfer ? .transfer : nil
        case [.null, .blob]: .spec
        case [.number, .number, .number, .text, .text, .number]: .history
        case [.text, .null, .blob], [.text, .number, .blob]: .task
        case [.text, .blob]: .setting
        case [.text, .number]: .textAndNumber
        case [.blob, .number]: .identifier
        case let kinds where kinds.starts(with: [.null, .number, .number, .number]) && (5...6).contains(kinds.count):
            kinds[4...].allSatisfy { $0 == .null || $0 == .blob } ? .event : nil
        default: nil
        }
    }

    private var isTransfer: Bool {
        kinds[0] == .null && kinds[1] == .blob && [.null, .text].contains(kinds[2])
            && kinds[3..<5] == [.text, .text] && kinds[5..<8].allSatisfy { $0 == .number }
            && [.null, .number].contains(kinds[8]) && kinds[9..<11].allSatisfy { $0 == .number }
            && kinds[11..<13] == [.blob, .blob] && kinds[13...].allSatisfy { $0 == .number }
    }
}
