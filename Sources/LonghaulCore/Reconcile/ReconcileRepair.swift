/// Rechecks and repairs findings: the session has continued since the files were inspected.
extension ReconcileDraft.Item {
    /// Returns whether the finding still holds. `present`: the current state of its transfer; `nil` if it was deleted.
    package func holds(for present: TransferMachine?) -> Bool {
        guard finding.transfer != nil else { return true }
        let record = present.map { ReconcileRecord($0.record) }
        // A record that has changed since was in transition when it was compared.
        if let seen, !isUnchanged(record, since: seen) { return false }
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

    /// The clean-up after a success, which may continue in the next process, does not change the finished file.
    private func isUnchanged(_ record: ReconcileRecord?, since seen: ReconcileRecord) -> Bool {
        guard finding.kind == .fileMissing || finding.kind == .fileChanged else { return record == seen }
        return record?.state == seen.state && record?.download?.finalPath == seen.download?.finalPath
            && record?.download?.finalLength == seen.download?.finalLength
    }
}

extension ReconcileDraft {
    /// Returns the findings that still hold. All are checked before any repair, because a repair changes the record of the next
    /// finding.
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
    /// The event for the transfer; `nil` if there is none, or the file is handled elsewhere.
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
    /// Whether the engine works for the transfer. A step that is being stopped does not count.
    package var isMoving: Bool {
        switch self {
        case .stopping: false
        case .inspecting, .measuring, .downloading, .checking, .placing, .sending, .discovering, .creating, .asking,
            .patching:
            true
        }
    }
}
