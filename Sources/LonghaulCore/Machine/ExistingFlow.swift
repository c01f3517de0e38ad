/// Downloads that leave an existing file if it is the requested one (`--skip-existing`).
extension DownloadSpec {
    /// The path of the finished file, if the download has a file name.
    package var namedPath: String? { fileName.map { directory + "/" + $0 } }

    /// Returns the check whether the existing file has the expected digest.
    func existingCheck(_ facts: DownloadFacts, partial: String) -> PieceCheck? {
        guard let existing, existing.test == .digest, !facts.hasLookedAtOldFile, facts.validators == nil,
            let expectedDigest, let namedPath, existing.size > 0
        else { return nil }
        let whole = PieceDigests(
            algorithm: expectedDigest.algorithm, length: existing.size, digests: expectedDigest.bytes)
        return PieceCheck(pieces: whole, total: existing.size, path: partial, source: namedPath)
    }

    /// Whether the existence of the name alone decides.
    var isLeftByName: Bool { existing?.test == .name }

    /// The length of the existing file, if a response with this length leaves the file.
    var unchangedLength: Int64? { existing?.test == .length ? existing?.size : nil }
}
