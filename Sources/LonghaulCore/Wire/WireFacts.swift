extension TransferFacts: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.time(createdAt, at: 1)
        writer.time(startedAt, at: 2)
        writer.time(endedAt, at: 3)
        writer.time(lastProgressAt, at: 4)
        writer.integer(attempts, at: 5)
        writer.integer(failuresInARow, at: 6)
        writer.integer(restarts, at: 7)
        writer.signed(bytesDone, at: 8)
        writer.signed(bytesTotal, at: 9)
        writer.message(lastFailure, at: 10)
        if !cleanup.isEmpty { encodeCleanup(into: &writer) }
        if download != DownloadFacts() { writer.message(download, at: 12) }
        if upload != UploadFacts() { writer.message(upload, at: 13) }
        writer.message(response, at: 14)
        writer.time(deadline, at: 15)
        writer.signed(progressMark, at: 16)
        writer.integer(credentialRefusals, at: 40)
        writer.signed(rateLimit, at: 50)
        writer.flag(ignoresConditions, at: 51)
        writer.flag(startsAtOnce, at: 52)
        writer.integer(priority, at: 53)
        writer.integer(beginningsAnew, at: 54)
        writer.choice(beganAnewBecause, at: 55)
    }

    private func encodeCleanup(into writer: inout WireWriter) {
        for task in cleanup.sorted(by: { $0.rawValue < $1.rawValue }) { writer.choice(Optional(task), at: 11) }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(createdAt: WallTime(microseconds: 0), deadline: WallTime(microseconds: 0))
        while let field = try reader.nextField() {
            switch field {
            case 1: createdAt = try reader.time()
            case 2: startedAt = try reader.time()
            case 3: endedAt = try reader.time()
            case 4: lastProgressAt = try reader.time()
            case 5: attempts = try reader.count()
            case 6: failuresInARow = try reader.count()
            case 7: restarts = try reader.count()
            case 8: bytesDone = try reader.length()
            case 9: bytesTotal = try reader.length()
            case 10: lastFailure = try reader.message()
            case 11: cleanup.insert(try reader.choice())
            case 12: download = try reader.message()
            case 13: upload = try reader.message()
            case 14: response = try reader.message()
            case 15: deadline = try reader.time()
            case 16: progressMark = try reader.length()
            case 40: credentialRefusals = try reader.count()
            case 50: rateLimit = try reader.signed()
            case 51: ignoresConditions = try reader.flag()
            case 52: startsAtOnce = try reader.flag()
            case 53: priority = try reader.priority()
            case 54: beginningsAnew = try reader.count()
            case 55: beganAnewBecause = try reader.choice()
            default: try reader.skip()
            }
        }
    }
}

extension ResponseSummary: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.integer(status, at: 1)
        writer.messages(headers, at: 2)
        writer.data(body, at: 3)
        writer.flag(isTruncated, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(status: 0, headers: [], body: [], isTruncated: false)
        while let field = try reader.nextField() {
            switch field {
            case 1: status = try reader.integer()
            case 2: headers.append(try reader.message())
            case 3: body = try reader.data()
            case 4: isTruncated = try reader.flag()
            default: try reader.skip()
            }
        }
    }
}
