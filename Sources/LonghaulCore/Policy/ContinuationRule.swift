/// Decides whether another program's partial file is the beginning of the server's file.
///
/// A digest of the whole file decides in the end, whatever the dates are. Without a digest, the server's version must
/// be older than the first byte of the partial file, and the end of the partial file is requested again and compared.
package enum ContinuationRule {
    /// The maximum difference assumed between the clocks of the server and of this machine.
    static let clockDifference: Duration = .seconds(60)

    /// Returns how much of the file's end is compared: a sixteenth of it, at least 64 KiB and at most 1 MiB.
    package static func overlap(of length: Int64) -> Int64 {
        min(length, max(64 << 10, min(length / 16, 1 << 20)))
    }

    /// Returns how a download resumes from a copy of the file. `isProvable`: a digest will be checked at the end.
    package static func plan(
        _ foreign: ForeignPartial, isProvable: Bool, expectedLength: Int64?
    ) -> ResumeDecision {
        let length = foreign.file.pin.size
        let unknown = Validators(entityTag: nil, lastModified: nil, isSoft: true, total: expectedLength)
        if isProvable {
            return ResumeLadder.plan(
                partialLength: length, validators: unknown, hasTrustedDigest: true, requestOverlap: overlap(of: length))
        }
        var point = ResumePoint(length: length, overlap: overlap(of: length), validators: unknown)
        point.age = foreign.age
        return .resume(point)
    }

    /// Returns why a response does not confirm a file of this age; `nil` if it does, as far as dates can.
    static func doubt(after head: ResponseHead, _ age: FileAge) -> ContinuationDoubt? {
        // The server's digest of the whole file is checked when the file is complete.
        if !DigestFields.offered(in: head.headers, isWhole: false).isEmpty { return nil }
        guard let changed = head.headers.single("Last-Modified").flatMap(HTTPDate.parse) else { return .noDate }
        // Some programs set the server's date on their files.
        if changed.seconds == age.modifiedAt.seconds { return nil }
        // A file that was created after its last change is a copy, or its date was set by hand.
        guard let begun = age.begunAt, begun <= age.modifiedAt + clockDifference else { return .unknownBegin }
        return changed + clockDifference <= begun ? nil : .changedSince
    }
}
