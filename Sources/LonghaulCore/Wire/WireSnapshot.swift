extension TransferSnapshot: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(id, at: 1)
        writer.signed(sequence, at: 2)
        writer.text(key, at: 3)
        writer.text(group, at: 4)
        writer.choice(direction, at: 5)
        writer.text(method, at: 6)
        writer.text(url, at: 7)
        writer.text(name, at: 8)
        writer.text(path, at: 9)
        writer.message(state, at: 10)
        writer.choice(turnLimit, at: 11)
        writer.integer(priority, at: 12)
        writer.signed(bytesDone, at: 13)
        writer.signed(bytesTotal, at: 14)
        writer.signed(rate, at: 15)
        writer.integer(attempts, at: 16)
        writer.time(createdAt, at: 17)
        writer.time(startedAt, at: 18)
        writer.time(endedAt, at: 19)
        writer.integer(status, at: 20)
        writer.integer(beginningsAnew, at: 21)
        writer.choice(beganAnewBecause, at: 22)
        writer.flag(losesBytesWhenStopped, at: 23)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var hasID = false
        var hasState = false
        self.init(
            id: TransferID(high: 0, low: 0), sequence: 0, key: nil, group: "", direction: .download, method: "",
            url: "", name: "", path: nil, state: .paused, turnLimit: nil, priority: 0, bytesDone: 0, bytesTotal: nil,
            rate: 0, attempts: 0, createdAt: WallTime(microseconds: 0), startedAt: nil, endedAt: nil, status: nil)
        while let field = try reader.nextField() {
            switch field {
            case 1: (id, hasID) = (try reader.message(), true)
            case 2: sequence = try reader.signed()
            case 3: key = try reader.text()
            case 4: group = try reader.text()
            case 5: direction = try reader.choice()
            case 6: method = try reader.text()
            case 7: url = try reader.text()
            case 8: name = try reader.text()
            case 9: path = try reader.text()
            case 10: (state, hasState) = (try reader.message(), true)
            case 11: turnLimit = try reader.choice()
            case 12: priority = try reader.integer()
            case 13: bytesDone = try reader.signed()
            case 14: bytesTotal = try reader.signed()
            case 15: rate = try reader.signed()
            case 16: attempts = try reader.integer()
            case 17: createdAt = try reader.time()
            case 18: startedAt = try reader.time()
            case 19: endedAt = try reader.time()
            case 20: status = try reader.integer()
            case 21: beginningsAnew = try reader.integer()
            case 22: beganAnewBecause = try reader.choice()
            case 23: losesBytesWhenStopped = try reader.flag()
            default: try reader.skip()
            }
        }
        guard hasID, hasState else { throw .missingValue }
    }
}

extension HistoryEntry: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.signed(number, at: 1)
        writer.time(at, at: 2)
        writer.text(event, at: 3)
        writer.text(detail, at: 4)
        writer.signed(bytesDone, at: 5)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(number: 0, at: WallTime(microseconds: 0), event: "", detail: "", bytesDone: 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: number = try reader.signed()
            case 2: at = try reader.time()
            case 3: event = try reader.text()
            case 4: detail = try reader.text()
            case 5: bytesDone = try reader.signed()
            default: try reader.skip()
            }
        }
    }
}

extension TransferDetail: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(snapshot, at: 1)
        writer.messages(headers, at: 2)
        writer.message(response, at: 3)
        writer.message(lastFailure, at: 4)
        writer.integer(restarts, at: 5)
        writer.text(credential?.description, at: 40)
        if conditions != ConditionRules() { writer.message(conditions, at: 43) }
        writer.signed(rateLimit, at: 44)
        writer.flag(ignoresConditions, at: 45)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var snapshot: TransferSnapshot?
        var headers: [HeaderField] = []
        var response: ResponseSummary?
        var lastFailure: TransferFailure?
        var restarts = 0
        var credential: CredentialName?
        var conditions = ConditionRules()
        var rateLimit: Int64?
        var ignoresConditions = false
        while let field = try reader.nextField() {
            switch field {
            case 1: snapshot = try reader.message()
            case 2: headers.append(try reader.message())
            case 3: response = try reader.message()
            case 4: lastFailure = try reader.message()
            case 5: restarts = try reader.integer()
            case 40: credential = try reader.credentialName()
            case 43: conditions = try reader.message()
            case 44: rateLimit = try reader.signed()
            case 45: ignoresConditions = try reader.flag()
            default: try reader.skip()
            }
        }
        guard let snapshot else { throw .missingValue }
        self.init(
            snapshot: snapshot, headers: headers, response: response, lastFailure: lastFailure, restarts: restarts,
            credential: credential, conditions: conditions, rateLimit: rateLimit, ignoresConditions: ignoresConditions)
    }
}
