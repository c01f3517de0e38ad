extension ConditionRules: WireMessage {
    /// What is allowed by default is written when it is forbidden, so that nothing written is everything allowed.
    package func encode(into writer: inout WireWriter) {
        writer.flag(!allowsExpensiveNetworkAccess, at: 1)
        writer.flag(!allowsConstrainedNetworkAccess, at: 2)
        writer.flag(!allowsRoaming, at: 3)
        writer.flag(requiresExternalPower, at: 4)
        writer.flag(isDiscretionary, at: 5)
        writer.message(hours, at: 6)
        writer.flag(yieldsToOtherTraffic, at: 7)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: allowsExpensiveNetworkAccess = !(try reader.flag())
            case 2: allowsConstrainedNetworkAccess = !(try reader.flag())
            case 3: allowsRoaming = !(try reader.flag())
            case 4: requiresExternalPower = try reader.flag()
            case 5: isDiscretionary = try reader.flag()
            case 6: hours = try reader.message()
            case 7: yieldsToOtherTraffic = try reader.flag()
            default: try reader.skip()
            }
        }
    }
}

extension DayHours: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.integer(from, at: 1)
        writer.integer(to, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(from: 0, to: 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: from = try reader.integer()
            case 2: to = try reader.integer()
            default: try reader.skip()
            }
        }
    }
}

extension Conditions: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.choice(network, at: 1)
        writer.choice(isExpensive, at: 2)
        writer.choice(isConstrained, at: 3)
        writer.choice(isRoaming, at: 4)
        writer.choice(hasExternalPower, at: 5)
        writer.choice(isBatteryLow, at: 6)
        writer.flag(isAboutToSleep, at: 7)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: network = try reader.choice()
            case 2: isExpensive = try reader.choice()
            case 3: isConstrained = try reader.choice()
            case 4: isRoaming = try reader.choice()
            case 5: hasExternalPower = try reader.choice()
            case 6: isBatteryLow = try reader.choice()
            case 7: isAboutToSleep = try reader.flag()
            default: try reader.skip()
            }
        }
    }
}

extension ConditionsOverride: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.choice(network, at: 1)
        writer.choice(isExpensive, at: 2)
        writer.choice(isConstrained, at: 3)
        writer.choice(isRoaming, at: 4)
        writer.choice(hasExternalPower, at: 5)
        writer.choice(isBatteryLow, at: 6)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: network = try reader.choice()
            case 2: isExpensive = try reader.choice()
            case 3: isConstrained = try reader.choice()
            case 4: isRoaming = try reader.choice()
            case 5: hasExternalPower = try reader.choice()
            case 6: isBatteryLow = try reader.choice()
            default: try reader.skip()
            }
        }
    }
}

extension ConditionsReport: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(measured, at: 1)
        writer.message(override, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: measured = try reader.message()
            case 2: override = try reader.message()
            default: try reader.skip()
            }
        }
    }
}
