extension DownloadFacts: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.message(&validators, 1)
        try wire.text(&effectiveURL, 2)
        try wire.text(&suggestedName, 3)
        // 4 was the content encoding.
        try wire.messages(&offeredDigests, 5)
        try wire.length(&syncedLength, 6)
        try wire.text(&finished.path, 7, isPath: true)
        try wire.text(&bootID, 8)
        try wire.count(&digestMismatches, 9)
        try wire.message(&segments, 10)
        try wire.message(&mirrors, 11)
        try wire.count(&repairs, 12)
        try wire.flag(&hasLookedAtOldFile, 13)
        try wire.choice(&foreign, 14)
        try wire.flag(&served.requestsOwnURL, 15)
        try wire.text(&served.mediaType, 16)
        try wire.flag(&served.endsUnverified, 17)
        try wire.flag(&files.usesSecond, 18)
        try wire.flag(&files.mayHaveOther, 19)
        try wire.message(&files.kept, 20)
        try wire.text(&finished.refusals, 21)
        try wire.texts(&files.formerDirectories, 22, arePaths: true)
        try wire.flag(&served.isIdentified, 23)
    }
}

extension KeptVersion: WireRecord {
    package static var blank: Self { Self(.blank) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&validators, 1)
        try wire.text(&effectiveURL, 2)
        try wire.text(&suggestedName, 3)
        try wire.messages(&offeredDigests, 4)
        try wire.length(&syncedLength, 5)
        try wire.text(&bootID, 6)
        try wire.message(&segments, 7)
        try wire.text(&served.mediaType, 8)
        try wire.flag(&served.requestsOwnURL, 9)
        try wire.flag(&served.endsUnverified, 10)
        try wire.length(&bytes, 11)
        try wire.text(&source, 12)
        try wire.flag(&served.isIdentified, 13)
    }
}

extension Validators: WireRecord {
    package static var blank: Self { Self(entityTag: nil, lastModified: nil, isSoft: false, total: nil) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&entityTag, 1)
        try wire.text(&lastModified, 2)
        try wire.flag(&isSoft, 3)
        try wire.length(&total, 4)
    }
}
