/// Compares records, live transfers, and files, and determines the differences and their repairs.
///
/// It receives one record at a time, so that a session of any size needs little memory. Its rules: a file is deleted only if Longhaul
/// created it and the record that owned it has ended; possible deliberate changes by the user are only reported; differences that the
/// transfer's own next step detects are left to it.
package struct Reconciler {
    private let live: Set<TransferID>
    private var known: Set<TransferID> = []
    private var withPartial: Set<TransferID> = []
    /// Without their directory, for which a client may use another path.
    private var stagedNames: Set<String> = []
    private var repaired: [ReconcileDraft.Item] = []
    private var told: [ReconcileDraft.Item] = []
    /// Files that were moved away, which users do: they must not hide real problems.
    private var tidied: [ReconcileDraft.Item] = []
    private var omitted = 0

    /// `live` are the transfers that the engine works on now.
    package init(live: Set<TransferID>) {
        self.live = live
    }

    /// Compares one record with its own files.
    package mutating func check(_ record: ReconcileRecord, look: (String) -> FilePresence) {
        known.insert(record.id)
        stagedNames.formUnion(record.staged.compactMap(\.baseName))
        checkMovement(of: record)
        if let download = record.download { check(download, of: record, look: look) }
        for path in record.staged { checkStaged(path, of: record, sight: look(path)) }
    }

    /// Compares the files found with the records, all of which were checked before. `staged` are bodies that were not locked before
    /// the first record was read: a process that still needs a body locks it until a record names it.
    package consuming func conclude(partials: [FoundPartial], staged: [String]) -> ReconcileDraft {
        for partial in partials where !withPartial.contains(partial.id) {
            addFinding(known.contains(partial.id) ? .partialElsewhere : .partialForeign, partial.id, partial.path, nil)
        }
        for path in staged where !stagedNames.contains(path.baseName ?? "") {
            addFinding(.stagedForeign, nil, path, nil)
        }
        for id in live.subtracting(known).sorted() { addFinding(.transferWithoutNeed, id, nil, nil) }
        let all = repaired + told + tidied
        let items = all.prefix(ReconcileReport.limit)
        return ReconcileDraft(checked: known.count, items: Array(items), omitted: omitted + all.count - items.count)
    }

    private mutating func checkMovement(of record: ReconcileRecord) {
        let isMoving = live.contains(record.id)
        switch record.state {
        case .running, .awaitingResponse:
            if !isMoving { addFinding(.runningWithoutTransfer, record.id, nil, record) }
        case .waiting, .paused, .succeeded, .failed, .cancelled:
            if isMoving { addFinding(.transferWithoutNeed, record.id, nil, record) }
        }
    }

    private mutating func check(
        _ download: ReconcileRecord.Download, of record: ReconcileRecord, look: (String) -> FilePresence
    ) {
        var isMissing = true
        for path in download.partialPaths {
            let sight = look(path)
            if sight == .absent { continue }
            withPartial.insert(record.id)
            // A kept version does not replace the file of the current one.
            if download.mayHoldVersion(path) { isMissing = false }
            // A failed transfer keeps its bytes for a retry.
            if case .present = sight, record.isOver { addFinding(.partialLeftOver, record.id, path, record) }
        }
        // Before its first bytes are written, and while they are being discarded, a running download has no file.
        if isMissing, download.hasBytes, !record.isOver, !live.contains(record.id),
            !record.cleanup.contains(.partialFile)
        {
            addFinding(.partialMissing, record.id, download.partialPath, record)
        }
        guard record.state == .succeeded, let path = download.finalPath else { return }
        switch look(path) {
        case .present(let length):
            if let expected = download.finalLength, expected != length {
                addFinding(.fileChanged, record.id, path, record)
            }
        case .absent: addFinding(.fileMissing, record.id, path, record)
        case .unknown: break
        }
    }

    private mutating func checkStaged(_ path: String, of record: ReconcileRecord, sight: FilePresence) {
        switch (sight, record.isOver) {
        case (.present, true): addFinding(.stagedLeftOver, record.id, path, record)
        case (.absent, false):
            if !record.cleanup.contains(.stagedBodies) { addFinding(.stagedMissing, record.id, path, record) }
        case (.present, false), (.absent, true), (.unknown, _): break
        }
    }

    private mutating func addFinding(
        _ code: ReconcileFinding.Kind, _ id: TransferID?, _ path: String?, _ record: ReconcileRecord?
    ) {
        let item = ReconcileDraft.Item(finding: ReconcileFinding(code, transfer: id, path: path), seen: record)
        let kind: WritableKeyPath<Self, [ReconcileDraft.Item]> =
            item.finding.repair != .none ? \.repaired : code == .fileMissing ? \.tidied : \.told
        if self[keyPath: kind].count < ReconcileReport.limit {
            self[keyPath: kind].append(item)
        } else {
            omitted += 1
        }
    }
}

extension ReconcileRecord {
    /// Whether only the result of the transfer is still needed. A failed transfer may be retried.
    fileprivate var isOver: Bool { state == .succeeded || state == .cancelled }
}

/// Findings that hold for the time at which each record was read.
package struct ReconcileDraft: Equatable, Sendable {
    package struct Item: Equatable, Sendable {
        package var finding: ReconcileFinding
        /// The record at the time of the finding: if it has changed since, the finding is void.
        package var seen: ReconcileRecord?

        package init(finding: ReconcileFinding, seen: ReconcileRecord?) {
            self.finding = finding
            self.seen = seen
        }
    }

    package var checked: Int
    package var items: [Item]
    package var omitted: Int

    package init(checked: Int, items: [Item], omitted: Int) {
        self.checked = checked
        self.items = items
        self.omitted = omitted
    }
}
