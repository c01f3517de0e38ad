/// Decides whether what another program left of a download is the beginning of what the server has.
///
/// A digest of the whole decides in the end, whatever the dates are. Without one the server's date has to be that of a version
/// which was there before the first byte of the file, and the file's end is asked for once more and compared.
package enum ContinuationRule {
    /// The clocks of the server and of this machine are taken to differ by less.
    static let clockDifference: Duration = .seconds(60)

    /// How much of the file's end is compared: a sixteenth of it, at least 64 KiB and at most 1 MiB.
    package static func overlap(of length: Int64) -> Int64 {
        min(length, max(64 << 10, min(length / 16, 1 << 20)))
    }

    /// How a download goes on with a copy of the file. `isProvable` says that a digest will be checked at the end.
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

    /// What keeps an answer from vouching for a file of this age; `nil` when it does, as far as dates can.
    static func doubt(after head: ResponseHead, _ age: FileAge) -> ContinuationDoubt? {
        // What the server says of the whole is checked when it is there.
        if !DigestFields.offered(in: head.headers, isWhole: false).isEmpty { return nil }
        guard let changed = head.headers.single("Last-Modified").flatMap(HTTPDate.parse) else { return .noDate }
        // Some programs give their files the server's date.
        if changed.seconds == age.modifiedAt.seconds { return nil }
        // A file that was made after its last change is a copy, or was dated by hand.
        guard let begun = age.begunAt, begun <= age.modifiedAt + clockDifference else { return .unknownBegin }
        return changed + clockDifference <= begun ? nil : .changedSince
    }
}
