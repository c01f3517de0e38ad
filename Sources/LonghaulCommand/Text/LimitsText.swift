import LonghaulCore

/// The limits of a session and of all sessions.
struct LimitsText {
    let limits: SessionLimits
    let own: SessionRulesReport
    let common: UserTrafficReport

    /// The value of an option for no limit: the largest number that the service accepts.
    static let unlimited = 10_000

    var text: String {
        var rows = [
            (tr("in total"), Self.count(limits.total, isDefault: limits.chosenTotal == nil)),
            (tr("per host"), Self.count(limits.perHost, isDefault: limits.chosenPerHost == nil)),
            (tr("streams per host"), Self.count(limits.streams, isDefault: limits.chosenStreams == nil)),
        ]
        for (name, limit) in limits.perGroup.sorted(by: { $0.key < $1.key }) {
            rows.append((tr("group \(DisplayText.clean(name))"), Self.count(limit, isDefault: false)))
        }
        rows += Self.rows(own.rules.traffic, own.usage)
        let width = 2 + (rows.map { DisplayText.width($0.0) }.max() ?? 0)
        var lines = rows.map { DisplayText.fit($0.0, width) + $0.1 }
        let all = Self.rows(common.limits, common.usage, total: common.limits.transfers)
            .filter { $0.1 != Self.none }
        if !all.isEmpty {
            lines += ["", tr("All sessions together:")] + all.map { DisplayText.fit($0.0, width) + $0.1 }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The limits that are not the defaults.
    var chosen: [String] {
        var chosen: [String] = []
        if let total = limits.chosenTotal { chosen.append(tr("\(total) in total")) }
        if let perHost = limits.chosenPerHost { chosen.append(tr("\(perHost) per host")) }
        if let streams = limits.chosenStreams { chosen.append(tr("\(streams) streams per host")) }
        for (name, limit) in limits.perGroup.sorted(by: { $0.key < $1.key }) {
            chosen.append(tr("\(limit) in the group \(DisplayText.clean(name))"))
        }
        for (name, value) in Self.rows(own.rules.traffic, own.usage) where value != Self.none {
            chosen.append(name + " " + value)
        }
        let all = Self.rows(common.limits, common.usage, total: common.limits.transfers).filter { $0.1 != Self.none }
        return chosen + all.map { tr("all sessions: \($0.0) \($0.1)") }
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

    private static var none: String { tr("none (default)") }

    private static func count(_ count: Int, isDefault: Bool) -> String {
        if isDefault { return tr("\(count) (default)") }
        return count == unlimited ? tr("none") : "\(count)"
    }

    private static func rows(
        _ limits: TrafficLimits, _ usage: BudgetUsage, total: Int? = nil
    ) -> [(String, String)] {
        var rows: [(String, String)] = []
        if let total { rows.append((tr("in total"), "\(total)")) }
        rows.append((tr("rate"), limits.rateLimit.map(HumanText.rate) ?? none))
        for window in limits.timetable { rows.append((tr("schedule"), RulesText.text(window))) }
        rows.append((tr("budget per day"), limits.budget.bytesPerDay.map { used(usage.bytesOfDay, $0) } ?? none))
        rows.append((tr("budget per month"), limits.budget.bytesPerMonth.map { used(usage.bytesOfMonth, $0) } ?? none))
        return rows
    }

    private static func used(_ bytes: Int64, _ budget: Int64) -> String {
        tr("\(HumanText.bytes(bytes)) of \(HumanText.bytes(budget)) used")
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
