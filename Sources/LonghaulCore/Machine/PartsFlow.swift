/// Downloads over several connections. The partial file has holes meanwhile. Its map says which bytes it contains, even after a reboot,
/// up to the length of the file. A resumed download continues with the first hole.
extension TransferMachine {
    /// Records the first map, which replaces the length. Holes may be written only after the commit; until then, the map describes a file
    /// without holes.
    mutating func openParts(_ map: SegmentMap, at moment: Moment) -> [TransferAction] {
        defer { recordParts(map, at: moment) }
        return record.facts.download.segments == nil ? [.release(.openSegments)] : []
    }

    mutating func recordParts(_ map: SegmentMap, at moment: Moment) {
        record.facts.download.segments = map
        record.recordNewProgress(map.count, at: moment)
    }

    mutating func continueInParts(_ map: SegmentMap, length: Int64) -> [TransferAction] {
        let clipped = map.clipped(to: length)
        // The digest proves the joined bytes.
        let there = record.hasDigest ? clipped : clipped.withoutHeads()
        record.facts.download.segments = there
        let validators = record.facts.download.validators
        let decision = ResumeLadder.plan(
            there, validators: record.validatorsAtPlace, hasTrustedDigest: record.hasDigest)
        return follow(decision, ResumeLadder.obstacle(partialLength: there.count, validators: validators))
    }
}
