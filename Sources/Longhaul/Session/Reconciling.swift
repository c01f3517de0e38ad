extension TransferSession {
    /// Compares the session's records with its running transfers and files, repairs what it can, and returns what it found.
    ///
    /// Opening a session already resumes the transfers of a process that was killed. This finds changes by other programs: a finished
    /// file that was deleted or changed, a missing partial file, or one that no transfer owns. It deletes only files that Longhaul
    /// created. A file that cannot be inspected, for example on a drive that is not mounted, is not a finding.
    ///
    /// Repaired findings come first, downloaded files that were moved come last. It returns at most 500 findings. It reads every
    /// record and inspects every file, while the transfers continue.
    public func reconcile() async throws(TransferFailure) -> [ReconcileFinding] {
        try await reconcileReport().findings
    }

    /// Returns the findings with the number of compared transfers and of omitted findings.
    package func reconcileReport() async throws(TransferFailure) -> ReconcileReport {
        try await backend.reconcile()
    }
}
