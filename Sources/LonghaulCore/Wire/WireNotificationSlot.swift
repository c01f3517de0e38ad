extension NotificationSlot: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(tally, at: 1)
        writer.message(text, at: 2)
        writer.message(posted, at: 3)
        writer.message(shown, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: tally = try reader.message()
            case 2: text = try reader.message()
            case 3: posted = try reader.message()
            case 4: shown = try reader.message()
            default: try reader.skip()
            }
        }
    }
}

extension NotificationTally: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.integer(underWay, at: 1)
        writer.integer(needing, at: 2)
        writer.integer(paused, at: 3)
        writer.integer(resting, at: 4)
        writer.integer(finished, at: 5)
        writer.integer(failed, at: 6)
        writer.integer(interrupted, at: 7)
        writer.integer(announced, at: 8)
        writer.flag(departed, at: 9)
        writer.flag(pausedHere, at: 10)
        writer.flag(hushesProgress, at: 11)
        writer.integer(hushedNeeds, at: 12)
        writer.message(finishedSubject, at: 13)
        writer.message(failedSubject, at: 14)
        writer.message(needingSubject, at: 15)
        writer.message(movingSubject, at: 16)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: underWay = try reader.count()
            case 2: needing = try reader.count()
            case 3: paused = try reader.count()
            case 4: resting = try reader.count()
            case 5: finished = try reader.count()
            case 6: failed = try reader.count()
            case 7: interrupted = try reader.count()
            case 8: announced = try reader.count()
            case 9: departed = try reader.flag()
            case 10: pausedHere = try reader.flag()
            case 11: hushesProgress = try reader.flag()
            case 12: hushedNeeds = try reader.count()
            case 13: finishedSubject = try reader.message()
            case 14: failedSubject = try reader.message()
            case 15: needingSubject = try reader.message()
            case 16: movingSubject = try reader.message()
            default: try reader.skip()
            }
        }
    }
}

extension NotificationSubject: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(transfer, at: 1)
        writer.text(name, at: 2)
        writer.text(host, at: 3)
        writer.text(reason, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var transfer: TransferID?
        var name = ""
        var host = ""
        var reason = ""
        while let field = try reader.nextField() {
            switch field {
            case 1: transfer = try reader.message()
            case 2: name = try reader.text()
            case 3: host = try reader.text()
            case 4: reason = try reader.text()
            default: try reader.skip()
            }
        }
        guard let transfer else { throw .missingValue }
        self.init(transfer: transfer, name: name, host: host, reason: reason)
    }
}

extension NotificationHeadline: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.choice(kind, at: 1)
        writer.integer(count, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(kind: nil, count: 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: kind = try reader.choice()
            case 2: count = try reader.count()
            default: try reader.skip()
            }
        }
    }
}

extension ShownNotification: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.unsigned(UInt64(number), at: 1)
        writer.text(server, at: 2)
        writer.time(at, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(number: 0, server: "", at: WallTime(microseconds: 0))
        while let field = try reader.nextField() {
            switch field {
            case 1:
                guard let value = UInt32(exactly: try reader.unsigned()) else { throw .unknownValue }
                number = value
            case 2: server = try reader.text()
            case 3: at = try reader.time()
            default: try reader.skip()
            }
        }
    }
}
