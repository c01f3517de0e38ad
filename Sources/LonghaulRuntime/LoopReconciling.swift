import LonghaulCore
import LonghaulStore

/// The loop's part in a comparison of records, live transfers and files.
extension SessionLoop {
    /// The transfers that something is being done for. One that was told to stop is on its way out.
    var movingIDs: Set<TransferID> {
        Set(turns.live.values.filter(\.isMoving).map(\.record.id))
    }

    /// Repairs what still holds, and tells it after the commit. What has changed since it was seen was seen in passing.
    func reconcile(
        _ draft: ReconcileDraft, _ reply: @escaping @Sendable (SessionReply) -> Void
    ) throws(TransferFailure) {
        var report = ReconcileReport(checked: draft.checked, omitted: draft.omitted)
        // All of them first: a repair changes the record that the next finding was made with.
        for item in draft.items where try holds(item) { report.findings.append(item.finding) }
        for finding in report.findings { try repair(finding) }
        answer { [report] in reply(.reconciled(report)) }
    }

    private func holds(_ item: ReconcileDraft.Item) throws(TransferFailure) -> Bool {
        guard let id = item.finding.transfer else { return true }
        let present = try transfer(id)
        if let seen = item.seen, present.map({ ReconcileRecord($0.record) }) != seen { return false }
        switch item.finding.code {
        case .runningWithoutTransfer: return present?.machine.step == nil
        case .transferWithoutNeed: return turns.live[id]?.isMoving ?? false
        // A download that was submitted or began meanwhile.
        case .partialForeign: return present == nil
        case .partialElsewhere:
            return present.map { ReconcileRecord($0.record).download?.partialPath != item.finding.path } ?? false
        case .partialMissing, .partialLeftOver, .fileMissing, .fileChanged, .stagedMissing, .stagedLeftOver,
            .stagedForeign:
            return true
        }
    }

    private func repair(_ finding: ReconcileFinding) throws(TransferFailure) {
        guard let id = finding.transfer else { return }
        switch finding.code {
        case .runningWithoutTransfer: try feed(id, .recovered)
        case .partialLeftOver: try feed(id, .leftoverFound(.partialFile))
        case .stagedLeftOver: try feed(id, .leftoverFound(.stagedBodies))
        case .transferWithoutNeed, .partialMissing, .partialForeign, .partialElsewhere, .fileMissing, .fileChanged,
            .stagedMissing, .stagedForeign:
            break
        }
    }
}

extension LiveTransfer {
    fileprivate var isMoving: Bool {
        switch machine.step {
        case nil, .stopping: false
        case .inspecting, .measuring, .downloading, .checking, .placing, .sending, .discovering, .creating, .asking,
            .patching:
            true
        }
    }
}
