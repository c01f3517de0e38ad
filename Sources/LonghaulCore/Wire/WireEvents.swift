extension SessionEvent: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.signed(number, at: 1)
        writer.time(at, at: 2)
        switch kind {
        case .transferFinished(let snapshot): writer.message(snapshot, at: 3)
        case .allTransfersFinished: writer.empty(at: 4)
        case .needsCredentials(let snapshot): writer.message(snapshot, at: 5)
        case .notificationTapped(let tap): writer.message(tap, at: 60)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var number: Int64 = 0
        var at = WallTime(microseconds: 0)
        var kind: Kind?
        while let field = try reader.nextField() {
            switch field {
            case 1: number = try reader.signed()
            case 2: at = try reader.time()
            case 3: kind = .transferFinished(try reader.message())
            case 4: kind = try reader.empty(as: .allTransfersFinished)
            case 5: kind = .needsCredentials(try reader.message())
            case 60: kind = .notificationTapped(try reader.message())
            default: try reader.skip()
            }
        }
        guard let kind else { throw .unknownValue }
        self.init(number: number, at: at, kind: kind)
    }
}

extension EventPage: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.messages(events, at: 1)
        writer.flag(hasMore, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: events.append(try reader.message())
            case 2: hasMore = try reader.flag()
            default: try reader.skip()
            }
        }
    }
}
