extension BackgroundTaskRecord: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(identifier, at: 1)
        writer.message(pending, at: 2)
        writer.message(owed, at: 3)
        writer.message(run, at: 4)
        writer.message(last, at: 5)
        writer.signed(runs, at: 6)
        writer.integer(doneDay?.number, at: 7)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(identifier: "")
        while let field = try reader.nextField() {
            switch field {
            case 1: identifier = try reader.text()
            case 2: pending = try reader.message()
            case 3: owed = try reader.message()
            case 4: run = try reader.message()
            case 5: last = try reader.message()
            case 6: runs = try reader.signed()
            case 7: doneDay = LocalDay(try reader.integer())
            default: try reader.skip()
            }
        }
    }
}

extension BackgroundTaskRecord.Pending: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(request, at: 1)
        writer.time(date, at: 2)
        writer.flag(isForced, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var request: BackgroundTaskRequest?
        var date = WallTime(microseconds: 0)
        var isForced = false
        while let field = try reader.nextField() {
            switch field {
            case 1: request = try reader.message()
            case 2: date = try reader.time()
            case 3: isForced = try reader.flag()
            default: try reader.skip()
            }
        }
        guard let request else { throw .missingValue }
        self.init(request: request, date: date, isForced: isForced)
    }
}

extension BackgroundTaskRecord.Owed: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(request, at: 1)
        writer.time(since, at: 2)
        writer.integer(attempts, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var request: BackgroundTaskRequest?
        var since = WallTime(microseconds: 0)
        var attempts = 0
        while let field = try reader.nextField() {
            switch field {
            case 1: request = try reader.message()
            case 2: since = try reader.time()
            case 3: attempts = try reader.count()
            default: try reader.skip()
            }
        }
        guard let request else { throw .missingValue }
        self.init(request: request, since: since, attempts: attempts)
    }
}

extension BackgroundTaskRun: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.signed(number, at: 1)
        writer.message(request, at: 2)
        writer.time(startedAt, at: 3)
        writer.span(budget, at: 4)
        writer.span(grace, at: 5)
        writer.integer(attempt, at: 6)
        writer.text(bootID, at: 7)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var request: BackgroundTaskRequest?
        var run = BackgroundTaskRun(
            number: 0, request: BackgroundTaskRequest(.appRefresh, ""), startedAt: WallTime(microseconds: 0),
            budget: .zero, grace: .zero, attempt: 0, bootID: "")
        while let field = try reader.nextField() {
            switch field {
            case 1: run.number = try reader.signed()
            case 2: request = try reader.message()
            case 3: run.startedAt = try reader.time()
            case 4: run.budget = try reader.span()
            case 5: run.grace = try reader.span()
            case 6: run.attempt = try reader.count()
            case 7: run.bootID = try reader.text()
            default: try reader.skip()
            }
        }
        guard let request else { throw .missingValue }
        run.request = request
        self = run
    }
}

extension BackgroundTaskResult: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.signed(number, at: 1)
        writer.time(startedAt, at: 2)
        writer.time(endedAt, at: 3)
        writer.choice(outcome, at: 4)
        writer.text(message, at: 5)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let start = WallTime(microseconds: 0)
        self.init(number: 0, startedAt: start, endedAt: start, outcome: .succeeded)
        while let field = try reader.nextField() {
            switch field {
            case 1: number = try reader.signed()
            case 2: startedAt = try reader.time()
            case 3: endedAt = try reader.time()
            case 4: outcome = try reader.choice()
            case 5: message = try reader.text()
            default: try reader.skip()
            }
        }
    }
}
