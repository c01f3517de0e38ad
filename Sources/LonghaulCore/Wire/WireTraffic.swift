extension TrafficLimits: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.signed(rateLimit, at: 1)
        writer.messages(timetable, at: 2)
        writer.signed(budget.bytesPerDay, at: 3)
        writer.signed(budget.bytesPerMonth, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: rateLimit = try reader.signed()
            case 2: timetable.append(try reader.message())
            case 3: budget.bytesPerDay = try reader.signed()
            case 4: budget.bytesPerMonth = try reader.signed()
            default: try reader.skip()
            }
        }
    }
}

extension RateWindow: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.integer(days.rawValue, at: 1)
        writer.message(hours, at: 2)
        writer.signed(rateLimit, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(days: [], hours: DayHours(from: 0, to: 0), rateLimit: nil)
        while let field = try reader.nextField() {
            switch field {
            case 1: days = Weekdays(rawValue: try reader.integer())
            case 2: hours = try reader.message()
            case 3: rateLimit = try reader.signed()
            default: try reader.skip()
            }
        }
    }
}

extension SessionRules: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(conditions, at: 1)
        writer.message(traffic, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: conditions = try reader.message()
            case 2: traffic = try reader.message()
            default: try reader.skip()
            }
        }
    }
}

extension SessionRulesReport: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(rules, at: 1)
        writer.message(usage, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: rules = try reader.message()
            case 2: usage = try reader.message()
            default: try reader.skip()
            }
        }
    }
}

extension UserSettings: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(override, at: 1)
        writer.message(traffic, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: override = try reader.message()
            case 2: traffic = try reader.message()
            default: try reader.skip()
            }
        }
    }
}

extension UserTrafficReport: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(limits, at: 1)
        writer.message(usage, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: limits = try reader.message()
            case 2: usage = try reader.message()
            default: try reader.skip()
            }
        }
    }
}

extension BudgetUsage: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.signed(day, at: 1)
        writer.signed(bytesOfDay, at: 2)
        writer.signed(month, at: 3)
        writer.signed(bytesOfMonth, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: day = try reader.signed()
            case 2: bytesOfDay = try reader.length()
            case 3: month = try reader.signed()
            case 4: bytesOfMonth = try reader.length()
            default: try reader.skip()
            }
        }
    }
}

extension TransferAdjustment: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.signed(rateLimit, at: 1)
        writer.flag(ignoresConditions, at: 2)
        writer.integer(priority, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: rateLimit = try reader.signed()
            case 2: ignoresConditions = try reader.flag()
            case 3: priority = try reader.integer()
            default: try reader.skip()
            }
        }
    }
}

/// The payload of `SessionCommand.adjust`.
struct AdjustRequest: WireMessage {
    var adjustment: TransferAdjustment
    var selection: TransferSelection

    init(adjustment: TransferAdjustment, selection: TransferSelection) {
        self.adjustment = adjustment
        self.selection = selection
    }

    func encode(into writer: inout WireWriter) {
        writer.message(adjustment, at: 1)
        writer.message(selection, at: 2)
    }

    init(from reader: inout WireReader) throws(WireError) {
        var adjustment = TransferAdjustment()
        var selection: TransferSelection?
        while let field = try reader.nextField() {
            switch field {
            case 1: adjustment = try reader.message()
            case 2: selection = try reader.message()
            default: try reader.skip()
            }
        }
        guard let selection else { throw .missingValue }
        self.init(adjustment: adjustment, selection: selection)
    }
}
