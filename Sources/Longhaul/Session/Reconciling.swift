/// Whether records, transfers and files agree.
extension TransferSession {
    /// Compares what the session has on record with what moves right now and with the files that are there, repairs what
    /// can be repaired without a person, and tells what it found.
    ///
    /// Opening a session already takes up what a dead process left: every transfer that ran goes on. Ask for this after
    /// opening to learn of what other hands did meanwhile: a finished file that was deleted or changed, a partial file
    /// that is gone, or one that no transfer owns. Only what Longhaul itself made is ever deleted. A file that cannot be
    /// looked at, as on a disk that is not mounted, is no finding.
    ///
    /// What was repaired comes first, downloaded files that were moved away come last; when there are more than 500 findings, the
    /// rest comes when these are mended. It reads every record and looks at every file, so its cost grows with the session; the
    /// transfers go on meanwhile.
    public func reconcile() async throws(TransferFailure) -> [ReconcileFinding] {
        try await reconcileReport().findings
    }

    /// The same with how many transfers were looked at, and how many findings were left out.
    package func reconcileReport() async throws(TransferFailure) -> ReconcileReport {
        try await backend.reconcile()
    }
}
