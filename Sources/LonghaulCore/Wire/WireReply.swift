extension SessionReply: WireMessage {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .submitted(let answers): writer.message(WireList(answers), at: 1)
        case .controlled(let answer): writer.message(answer, at: 2)
        case .page(let page): writer.message(page, at: 3)
        case .detail(let detail): writer.message(detail, at: 4)
        case .history(let entries): writer.message(WireList(entries), at: 5)
        case .limits(let limits): writer.message(limits, at: 6)
        case .failed(let failure): writer.message(failure, at: 7)
        case .reconciled(let report): writer.message(report, at: 8)
        case .info(let info): writer.message(info, at: 9)
        case .credentials(let report): writer.message(report, at: 20)
        case .events(let page): writer.message(page, at: 12)
        case .wake(let status): writer.message(status, at: 13)
        case .rules(let report): writer.message(report, at: 40)
        case .notifications(let status): writer.message(status, at: 60)
        case .tasks(let page): writer.message(page, at: 50)
        case .taskDone: writer.empty(at: 51)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var reply: SessionReply?
        while let field = try reader.nextField() {
            switch field {
            case 1: reply = .submitted((try reader.message() as WireList<SubmissionAnswer>).items)
            case 2: reply = .controlled(try reader.message())
            case 3: reply = .page(try reader.message())
            case 4: reply = .detail(try reader.message())
            case 5: reply = .history((try reader.message() as WireList<HistoryEntry>).items)
            case 6: reply = .limits(try reader.message())
            case 7: reply = .failed(try reader.message())
            case 8: reply = .reconciled(try reader.message())
            case 9: reply = .info(try reader.message())
            case 20: reply = .credentials(try reader.message())
            case 12: reply = .events(try reader.message())
            case 13: reply = .wake(try reader.message())
            case 40: reply = .rules(try reader.message())
            case 60: reply = .notifications(try reader.message())
            case 50: reply = .tasks(try reader.message())
            case 51: reply = try reader.empty(as: .taskDone)
            default: try reader.skip()
            }
        }
        guard let reply else { throw .unknownValue }
        self = reply
    }
}

extension SubmissionAnswer: WireMessage {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .accepted(let id): writer.message(id, at: 1)
        case .existing(let id): writer.message(id, at: 2)
        case .refused(let failure): writer.message(failure, at: 3)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var answer: SubmissionAnswer?
        while let field = try reader.nextField() {
            switch field {
            case 1: answer = .accepted(try reader.message())
            case 2: answer = .existing(try reader.message())
            case 3: answer = .refused(try reader.message())
            default: try reader.skip()
            }
        }
        guard let answer else { throw .unknownValue }
        self = answer
    }
}

extension ControlAnswer: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.integer(changed, at: 1)
        writer.messages(refusals, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(changed: 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: changed = try reader.integer()
            case 2: refusals.append(try reader.message())
            default: try reader.skip()
            }
        }
    }
}

extension ControlAnswer.Refusal: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(id, at: 1)
        writer.message(failure, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var id: TransferID?
        var failure: TransferFailure?
        while let field = try reader.nextField() {
            switch field {
            case 1: id = try reader.message()
            case 2: failure = try reader.message()
            default: try reader.skip()
            }
        }
        guard let id, let failure else { throw .missingValue }
        self.init(id: id, failure: failure)
    }
}
