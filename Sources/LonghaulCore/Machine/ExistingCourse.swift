/// Downloads that leave a file that is there and is what is wanted (`--skip-existing`).
extension DownloadSpec {
    /// Where the file is that the download gets, if it has a name.
    package var namedPath: String? { fileName.map { directory + "/" + $0 } }

    /// What is to be found out of the file that is there: whether all of it has the digest that the whole must have.
    func existingCheck(_ facts: DownloadFacts, partial: String) -> PieceCheck? {
        guard let existing, existing.test == .digest, !facts.hasLookedAtOldFile, facts.validators == nil,
            let expectedDigest, let namedPath, existing.size > 0
        else { return nil }
        let whole = PieceDigests(
            algorithm: expectedDigest.algorithm, length: existing.size, digests: expectedDigest.bytes)
        return PieceCheck(pieces: whole, total: existing.size, path: partial, source: namedPath)
    }

    /// Whether its name alone decides.
    var isLeftByName: Bool { existing?.test == .name }

    /// The length with which an answer leaves the file as it is.
    var unchangedLength: Int64? { existing?.test == .length ? existing?.size : nil }
}
