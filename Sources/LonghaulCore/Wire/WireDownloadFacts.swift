extension DownloadFacts: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.message(&validators, 1)
        try wire.text(&effectiveURL, 2)
        try wire.text(&suggestedName, 3)
        // 4 was the content encoding.
        try wire.messages(&offeredDigests, 5)
        try wire.length(&syncedLength, 6)
        try wire.text(&finalPath, 7)
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
