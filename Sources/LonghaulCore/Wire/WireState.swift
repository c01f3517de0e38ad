extension TransferState: WireMessage {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .waiting(let waiting): writer.message(waiting, at: 1)
        case .running(let phase): writer.choice(Optional(phase), at: 2)
        case .awaitingResponse: writer.empty(at: 3)
        case .paused: writer.empty(at: 4)
        case .succeeded: writer.empty(at: 5)
        case .failed(let failure): writer.message(failure, at: 6)
        case .cancelled: writer.empty(at: 7)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var state: TransferState?
        while let field = try reader.nextField() {
            switch field {
            case 1: state = .waiting(try reader.message())
            case 2: state = .running(try reader.choice())
            case 3: state = try reader.empty(as: .awaitingResponse)
            case 4: state = try reader.empty(as: .paused)
            case 5: state = try reader.empty(as: .succeeded)
            case 6: state = .failed(try reader.message())
            case 7: state = try reader.empty(as: .cancelled)
            default: try reader.skip()
            }
        }
        guard let state else { throw .unknownValue }
        self = state
    }
}

extension Waiting: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.choice(reason, at: 1)
        writer.time(since, at: 2)
        writer.time(until, at: 3)
        writer.message(failure, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(.turn, since: WallTime(microseconds: 0))
        while let field = try reader.nextField() {
            switch field {
            case 1: reason = try reader.choice()
            case 2: since = try reader.time()
            case 3: until = try reader.time()
            case 4: failure = try reader.message()
            default: try reader.skip()
            }
        }
    }
}
