/// Download over several connections: the partial file has holes meanwhile, and its map says what it holds, after another boot as well, as
/// far as the file reaches. It goes on with the first hole.
extension TransferMachine {
    /// With the first word the length stops to count; the holes come after the commit, until which the map is true of a whole file.
    mutating func openParts(_ map: SegmentMap, at moment: Moment) -> [TransferAction] {
        defer { noteParts(map, at: moment) }
        return record.facts.download.segments == nil ? [.release(.openSegments)] : []
    }

    mutating func noteParts(_ map: SegmentMap, at moment: Moment) {
        record.facts.download.segments = map
        record.noteProgress(map.count, at: moment)
    }

    mutating func goOnInParts(_ map: SegmentMap, length: Int64) -> [TransferAction] {
        let clipped = map.clipped(to: length)
        // The digest proves what is joined.
        let there = record.hasDigest ? clipped : clipped.withoutHeads()
        record.facts.download.segments = there
        let validators = record.facts.download.validators
        let decision = ResumeLadder.plan(
            there, validators: record.validatorsAtPlace, hasTrustedDigest: record.hasDigest)
        return follow(decision, ResumeLadder.obstacle(partialLength: there.count, validators: validators))
    }
}
