import LonghaulCore

/// All limits of a session and of the user, for a person or a program.
struct LimitsText {
    let limits: SessionLimits
    let own: SessionRulesReport
    let common: UserTrafficReport

    var text: String {
        var lines = [
            "\(HumanText.count(limits.total, "transfer")) at once", "\(limits.perHost) at once with one host",
            "\(limits.streams) at once with one host that speaks HTTP/2 or HTTP/3",
        ]
        for (name, limit) in limits.perGroup.sorted(by: { $0.key < $1.key }) {
            lines.append("\(limit) at once in the group \(DisplayText.clean(name))")
        }
        lines += Self.lines(own.rules.traffic, own.usage, "")
        lines += Self.lines(common.limits, common.usage, "all sessions: ")
        return lines.joined(separator: "\n") + "\n"
    }

    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("total", limits.total)
            json.member("perHost", limits.perHost)
            json.member("streams", limits.streams)
            json.object("perGroup") { json in
                for (name, limit) in limits.perGroup.sorted(by: { $0.key < $1.key }) { json.member(name, limit) }
            }
            json.object("traffic") { Self.members(&$0, own.rules.traffic, own.usage) }
            json.object("allSessions") { json in
                json.member("total", common.limits.transfers)
                Self.members(&json, common.limits, common.usage)
            }
        }
        json.endLine()
        return json.bytes
    }

    private static func lines(_ limits: TrafficLimits, _ usage: BudgetUsage, _ prefix: String) -> [String] {
        var lines: [String] = []
        if let transfers = limits.transfers { lines.append("\(HumanText.count(transfers, "transfer")) at once") }
        if let rate = limits.rateLimit { lines.append("rate " + HumanText.rate(rate)) }
        for window in limits.timetable { lines.append("schedule " + RulesText.text(window)) }
        if let budget = limits.budget.bytesPerDay { lines.append("budget a day " + used(usage.bytesOfDay, budget)) }
        if let budget = limits.budget.bytesPerMonth {
            lines.append("budget a month " + used(usage.bytesOfMonth, budget))
        }
        return lines.map { prefix + $0 }
    }

    private static func used(_ bytes: Int64, _ budget: Int64) -> String {
        "\(HumanText.bytes(budget)), \(HumanText.bytes(bytes)) used"
    }

    private static func members(_ json: inout JSONWriter, _ limits: TrafficLimits, _ usage: BudgetUsage) {
        json.member("rateLimit", limits.rateLimit)
        json.array("timetable") { json in
            for window in limits.timetable { json.string(RulesText.text(window)) }
        }
        json.member("bytesPerDay", limits.budget.bytesPerDay)
        json.member("bytesOfDay", usage.bytesOfDay)
        json.member("bytesPerMonth", limits.budget.bytesPerMonth)
        json.member("bytesOfMonth", usage.bytesOfMonth)
    }
}
