extension TaskRunner: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.texts(identifiers, at: 1)
        writer.messages(claims, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(identifiers: [])
        while let field = try reader.nextField() {
            switch field {
            case 1: identifiers.append(try reader.text())
            case 2: claims.append(try reader.message())
            default: try reader.skip()
            }
        }
    }
}

extension TaskClaim: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(identifier, at: 1)
        writer.signed(number, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(identifier: "", number: 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: identifier = try reader.text()
            case 2: number = try reader.signed()
            default: try reader.skip()
            }
        }
    }
}

extension TaskAssignments: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.messages(runs, at: 1)
        writer.flag(hasMore, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: runs.append(try reader.message())
            case 2: hasMore = try reader.flag()
            default: try reader.skip()
            }
        }
    }
}

extension TaskReturn: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(claim, at: 1)
        writer.choice(outcome, at: 2)
        writer.text(message, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var claim: TaskClaim?
        var outcome = BackgroundTaskResult.Outcome.succeeded
        var message = ""
        while let field = try reader.nextField() {
            switch field {
            case 1: claim = try reader.message()
            case 2: outcome = try reader.choice()
            case 3: message = try reader.text()
            default: try reader.skip()
            }
        }
        guard let claim else { throw .missingValue }
        self.init(claim: claim, outcome: outcome, message: message)
    }
}

/// The payload of `SessionCommand.tasks`.
struct TaskQuery: WireMessage {
    var after: String?

    init(after: String?) {
        self.after = after
    }

    func encode(into writer: inout WireWriter) {
        writer.text(after, at: 1)
    }

    init(from reader: inout WireReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: after = try reader.text()
            default: try reader.skip()
            }
        }
    }
}

extension TaskPage: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.messages(tasks, at: 1)
        writer.flag(hasMore, at: 2)
        writer.message(throttle, at: 3)
        writer.message(settings, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: tasks.append(try reader.message())
            case 2: hasMore = try reader.flag()
            case 3: throttle = try reader.message()
            case 4: settings = try reader.message()
            default: try reader.skip()
            }
        }
    }
}

extension BackgroundTaskStatus: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(identifier, at: 1)
        writer.message(request, at: 2)
        writer.time(nextDate, at: 3)
        writer.choice(hold, at: 4)
        writer.message(run, at: 5)
        writer.message(last, at: 6)
        writer.signed(runs, at: 7)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(identifier: "")
        while let field = try reader.nextField() {
            switch field {
            case 1: identifier = try reader.text()
            case 2: request = try reader.message()
            case 3: nextDate = try reader.time()
            case 4: hold = try reader.choice()
            case 5: run = try reader.message()
            case 6: last = try reader.message()
            case 7: runs = try reader.signed()
            default: try reader.skip()
            }
        }
    }
}
