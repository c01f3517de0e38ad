extension TransferFacts: WireRecord {
    package static var blank: Self {
        Self(createdAt: WallTime(microseconds: 0), deadline: WallTime(microseconds: 0))
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.time(&createdAt, 1)
        try wire.time(&startedAt, 2)
        try wire.time(&endedAt, 3)
        try wire.time(&lastProgressAt, 4)
        try wire.count(&attempts, 5)
        try wire.count(&failuresInARow, 6)
        try wire.count(&restarts, 7)
        try wire.length(&bytesDone, 8)
        try wire.length(&bytesTotal, 9)
        try wire.message(&lastFailure, 10)
        try wire.choices(&cleanup, 11)
        try wire.unlessBlank(&sharedDownload, Self.noDownload, 12)
        try wire.unlessBlank(&sharedUpload, Self.noUpload, 13)
        try wire.message(&response, 14)
        try wire.time(&deadline, 15)
        try wire.length(&progressMark, 16)
        try wire.count(&credentialRefusals, 17)
        try wire.signed(&changes.rateLimit, 18)
        try wire.flag(&ignoresConditions, 19)
        try wire.flag(&startsAtOnce, 20)
        try wire.priority(&changes.priority, 21)
        try wire.count(&restartCounts.count, 22)
        try wire.choice(&restartCounts.latest, 23)
        try wire.count(&failedLookups, 24)
        try wire.message(&changes.submitted, 25)
        try wire.choice(&retryEnd, 26)
    }
}

extension SubmittedRequest: WireRecord {
    package static var blank: Self { Self(url: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&url, 1)
        try wire.text(&directory, 2, isPath: true)
        try wire.text(&fileName, 3)
    }
}

extension Response: WireRecord {
    package static var blank: Self { Self(status: 0, headers: [], body: [], isTruncated: false) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.integer(&status, 1)
        try wire.messages(&headers, 2)
        try wire.data(&body, 3)
        try wire.flag(&isTruncated, 4)
        try wire.text(&url, 5)
        try wire.text(&location, 6)
    }
}
