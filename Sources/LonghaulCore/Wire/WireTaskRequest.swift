extension BackgroundTaskRequest: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.choice(kind, at: 1)
        writer.text(identifier, at: 2)
        writer.time(earliestBeginDate, at: 3)
        writer.flag(requiresNetworkConnectivity, at: 4)
        writer.flag(requiresExternalPower, at: 5)
        writer.message(repeats, at: 6)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(.appRefresh, "")
        while let field = try reader.nextField() {
            switch field {
            case 1: kind = try reader.choice()
            case 2: identifier = try reader.text()
            case 3: earliestBeginDate = try reader.time()
            case 4: requiresNetworkConnectivity = try reader.flag()
            case 5: requiresExternalPower = try reader.flag()
            case 6: repeats = try reader.message()
            default: try reader.skip()
            }
        }
    }
}

extension CalendarRule: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.integer(hour, at: 1)
        writer.integer(minute, at: 2)
        writer.unsigned(weekdays.reduce(UInt64(0)) { $0 | 1 << UInt64($1.rawValue) }, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(hour: 0, minute: 0, weekdays: [])
        while let field = try reader.nextField() {
            switch field {
            case 1: hour = try reader.integer()
            case 2: minute = try reader.integer()
            case 3:
                let bits = try reader.unsigned()
                weekdays = Set(Weekday.allCases.filter { bits & 1 << UInt64($0.rawValue) != 0 })
            default: try reader.skip()
            }
        }
        // A rule that never comes would be looked for for ever.
        guard isValid else { throw .unknownValue }
    }
}

extension BackgroundTaskSettings: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.span(refreshBudget, at: 1)
        writer.span(processingBudget, at: 2)
        writer.span(grace, at: 3)
        writer.integer(concurrentRuns, at: 4)
        writer.span(throttleFirst, at: 5)
        writer.span(throttleLongest, at: 6)
        writer.flag(enforcesAppleLimits, at: 7)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        (refreshBudget, processingBudget, grace) = (.zero, .zero, .zero)
        (concurrentRuns, throttleFirst, throttleLongest) = (0, .zero, .zero)
        while let field = try reader.nextField() {
            switch field {
            case 1: refreshBudget = try reader.span()
            case 2: processingBudget = try reader.span()
            case 3: grace = try reader.span()
            case 4: concurrentRuns = try reader.integer()
            case 5: throttleFirst = try reader.span()
            case 6: throttleLongest = try reader.span()
            case 7: enforcesAppleLimits = try reader.flag()
            default: try reader.skip()
            }
        }
    }
}

extension BackgroundTaskThrottle: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.integer(strikes, at: 1)
        writer.time(lastStrikeAt, at: 2)
        writer.time(until, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: strikes = try reader.count()
            case 2: lastStrikeAt = try reader.time()
            case 3: until = try reader.time()
            default: try reader.skip()
            }
        }
    }
}
