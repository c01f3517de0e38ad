/// Download over several connections: the partial file has holes meanwhile, and its map says what it holds.
extension TransferMachine {
    /// Nothing of what there is belongs to a known version.
    mutating func forgetVersion() {
        record.facts.bytesDone = 0
        record.facts.download.validators = nil
        record.facts.download.segments = nil
    }

    /// What is on stable storage. With the first word the file stops being one whose length counts, and gets its holes only when
    /// that is on disk: a crash in between leaves a file without holes, and a map that is true of it.
    mutating func openParts(_ map: SegmentMap, at moment: Moment) -> [TransferAction] {
        let isFirst = record.facts.download.segments == nil
        noteParts(map, at: moment)
        return isFirst ? [.release(.openSegments)] : []
    }

    mutating func noteParts(_ map: SegmentMap, at moment: Moment) {
        record.facts.download.segments = map
        noteProgress(map.count, at: moment)
    }

    /// The holes are filled: the file's length counts again, until the next boot what was not synced as well.
    mutating func closeParts(at moment: Moment) {
        guard let map = record.facts.download.segments else { return }
        record.facts.download.syncedLength = map.front
        record.facts.download.bootID = moment.bootID
        record.facts.download.segments = nil
    }

    /// Asks for the first hole. The map is true after another boot as well, as far as the file reaches.
    mutating func goOnInParts(_ map: SegmentMap, length: Int64) -> [TransferAction] {
        let there = map.clipped(to: length)
        record.facts.download.segments = there
        let validators = record.facts.download.validators
        let decision = ResumeLadder.plan(there, validators: validators, hasTrustedDigest: !expectedDigests.isEmpty)
        return follow(decision, ResumeLadder.obstacle(partialLength: there.count, validators: validators))
    }
}
