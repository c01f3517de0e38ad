/// What the loop makes of findings: the session has gone on since the files were looked at.
extension ReconcileDraft.Item {
    /// Whether the finding still holds, now that its transfer is this; `nil` when that is gone.
    package func holds(for present: TransferMachine?) -> Bool {
        guard finding.transfer != nil else { return true }
        let record = present.map { ReconcileRecord($0.record) }
        // What has changed since it was seen was seen in passing.
        if let seen, record != seen { return false }
        switch finding.kind {
        case .runningWithoutTransfer: return present?.step == nil
        case .transferWithoutNeed: return present?.step?.isMoving ?? false
        // A download that was submitted or began meanwhile.
        case .partialForeign: return present == nil
        case .partialElsewhere:
            return record?.download.map { !$0.partialPaths.contains(finding.path ?? "") } ?? (record != nil)
        case .partialMissing, .partialLeftOver, .fileMissing, .fileChanged, .stagedMissing, .stagedLeftOver,
            .stagedForeign:
            return true
        }
    }
}

extension ReconcileDraft {
    /// What still holds. All findings are looked at before one is repaired: that changes the record the next one was made with.
    package func report(
        _ present: (TransferID) throws(TransferFailure) -> TransferMachine?
    ) throws(TransferFailure) -> ReconcileReport {
        var report = ReconcileReport(checked: checked, omitted: omitted)
        for item in items {
            let machine = if let id = item.finding.transfer { try present(id) } else { nil as TransferMachine? }
            if item.holds(for: machine) { report.findings.append(item.finding) }
        }
        return report
    }
}

extension ReconcileFinding {
    /// What the transfer is told; `nil` where that is nothing, or the file is dealt with elsewhere.
    package var news: TransferEvent? {
        switch kind {
        case .runningWithoutTransfer: .recovered
        case .partialLeftOver: .leftoverFound(.partialFile)
        case .stagedLeftOver: .leftoverFound(.stagedBodies)
        case .transferWithoutNeed, .partialMissing, .partialForeign, .partialElsewhere, .fileMissing, .fileChanged,
            .stagedMissing, .stagedForeign:
            nil
        }
    }
}

extension TransferStep {
    /// Whether something is being done for the transfer. A step that was told to stop is on its way out.
    package var isMoving: Bool {
        switch self {
        case .stopping: false
        case .inspecting, .measuring, .downloading, .checking, .placing, .sending, .discovering, .creating, .asking,
            .patching:
            true
        }
    }
}
