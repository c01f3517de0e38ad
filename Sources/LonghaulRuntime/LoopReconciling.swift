import LonghaulCore

/// The loop's part in a comparison of records, live transfers and files.
extension SessionLoop {
    /// Repairs what still holds, and tells it after the commit.
    func reconcile(
        _ draft: ReconcileDraft, _ reply: @escaping @Sendable (SessionReply) -> Void
    ) throws(TransferFailure) {
        var report = ReconcileReport(checked: draft.checked, omitted: draft.omitted)
        // All of them first: a repair changes the record that the next finding was made with.
        for item in draft.items {
            let present =
                if let id = item.finding.transfer { try transfer(id)?.machine } else { nil as TransferMachine? }
            if item.holds(for: present) { report.findings.append(item.finding) }
        }
        for finding in report.findings {
            if let id = finding.transfer, let news = finding.news { try feed(id, news) }
        }
        answer { [report] in reply(.reconciled(report)) }
    }
}
