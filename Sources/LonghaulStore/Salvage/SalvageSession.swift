import LonghaulCore

/// Copies the data that belongs to transfers, and to the session.
extension Salvage {
    func bringHistory() throws(TransferFailure) {
        for number in finds.historyPages {
            guard let page = RawPage(number, of: image) else { continue }
            for cell in 0..<page.cellCount {
                guard let row = page.row(cell), row.shape == .history, let sequence = row.number(0),
                    known[sequence] != nil, let number = row.number(1),
                    number <= finds.newestLine, let at = row.number(2),
                    let event = row.text(3), let detail = row.text(4), let bytesDone = row.number(5)
                else { continue }
                let line = Store.HistoryRow(
                    at: WallTime(microseconds: at), event: event, detail: detail, bytesDone: bytesDone)
                try store.restoreLine(of: sequence, number: number, line)
            }
        }
    }

    mutating func bringSettings() throws(TransferFailure) {
        var unread: Set<String> = []
        for row in finds.settings {
            guard let name = row.text(0), name != "historyNumber" else { continue }
            let isSound: Bool
            if let number = row.number(1) {
                isSound = StoredSetting.isSound(name, number: number)
                if isSound { try store.restoreSetting(name, number: number) }
            } else {
                isSound = StoredSetting.isSound(name, row)
                if isSound, let bytes = row.blob(1) { try store.restoreSetting(name, bytes: Array(bytes)) }
            }
            if isSound { unread.remove(name) } else { unread.insert(name) }
        }
        report.settings = unread.sorted()
    }

    func bringTasks() throws(TransferFailure) {
        for row in finds.tasks {
            guard let record: BackgroundTaskRecord = row.message(2), record.identifier == row.text(0) else { continue }
            try store.setTask(record)
        }
    }

    func bringEvents() throws(TransferFailure) {
        for row in finds.events {
            guard let at = row.number(1), let kind = row.number(2).flatMap({ EventRecord.Kind(rawValue: Int($0)) }),
                let wakes = row.number(3), row.kinds[4] == .null || row.id(4) != nil
            else { continue }
            let hasTap = row.kinds.count > 5 && row.kinds[5] == .blob
            let tap: NotificationTap? = hasTap ? row.message(5) : nil
            guard !hasTap || tap != nil else { continue }
            let transfer = row.kinds[4] == .null ? nil : row.id(4)
            // An event of a missing transfer is useless.
            guard transfer.map(ids.contains) ?? true else { continue }
            try store.restore(
                EventRecord(
                    number: row.rowID, at: WallTime(microseconds: at), kind: kind, transfer: transfer, tap: tap),
                wakes: wakes == 1)
        }
    }
}
