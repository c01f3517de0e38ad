import LonghaulCore

extension Command {
    static let conditions = Command(
        "conditions", "[set CONDITION VALUE] [options]", "Show or override network and power conditions",
        options: [.json],
        examples: [
            .init("longhaul conditions set metered yes", "Treat the network as metered"),
            .init("longhaul conditions set metered auto", "Use the detected value again"),
        ],
        notes: [
            "CONDITION is metered, constrained, roaming, power, battery-low, or idle (VALUE: yes, no, auto), network "
                + "(reachable, none, captive, auto), or link (wired, wifi, mobile, vpn, other, auto). An override applies "
                + "to all sessions until you set it to auto.",
            "An unknown condition delays no transfer.",
        ],
        reference: (
            [
                "Longhaul detects routes from the kernel; metered networks, portals, and the kind of link from "
                    + "NetworkManager; roaming from ModemManager; power and battery charge from UPower; and idleness from "
                    + "logind (`IdleHint`, which a desktop sets). All of these services are optional."
            ], [.init("longhaul conditions --json", "Show the conditions as JSON")]
        ),
        run: { arguments, world throws(TransferFailure) in
            let change = try ConditionChange(arguments.operands)
            let service = try await world.connect(true)
            defer { service.close() }
            var report = try await service.conditions()
            if let change {
                change.apply(&report.override)
                report = try await service.setOverride(report.override)
            }
            if arguments.has(.json) {
                world.console.writeOutput(ConditionsText.json(report))
            } else {
                world.console.print(ConditionsText.lines(report).joined(separator: "\n"))
            }
            return .success
        })
}

/// A parsed `set metered yes`.
private struct ConditionChange {
    let condition: SaidCondition
    let value: String

    init?(_ words: [String]) throws(TransferFailure) {
        if words.isEmpty { return nil }
        guard words.count == 3, words[0] == "set" else {
            throw .misuse("conditions takes set CONDITION VALUE, such as set metered yes.")
        }
        guard let condition = SaidCondition.all.first(where: { $0.name == words[1] }) else {
            let names = SaidCondition.all.map(\.name).joined(separator: ", ")
            throw .usage("There is no condition \"\(words[1])\". The conditions are \(names).")
        }
        let value = words[2] == "default" ? "auto" : words[2]
        guard condition.values.contains(value) else {
            let values = condition.values.joined(separator: ", ")
            throw .usage("The value of \(words[1]) must be one of \(values), not \"\(words[2])\".")
        }
        (self.condition, self.value) = (condition, value)
    }

    func apply(_ override: inout ConditionsOverride) {
        condition.say(&override, value)
    }
}

/// A condition that the user can override.
struct SaidCondition {
    let name: String
    /// Its values; the last one removes the override.
    let values: [String]
    let say: (inout ConditionsOverride, String) -> Void

    static var all: [SaidCondition] {
        [
            SaidCondition("network", [.reachable, .none, .captive], \.network, ConditionsText.word),
            SaidCondition(
                "link", Conditions.LinkKind.allCases.filter { $0 != .unknown }, \.link, ConditionsText.word),
        ]
            + ConditionsText.places.map { place in
                SaidCondition(place.name, [true, false], place.override) { ConditionsText.word($0) }
            }
    }

    private init<Value>(
        _ name: String, _ choices: [Value], _ place: WritableKeyPath<ConditionsOverride, Value?>,
        _ word: @escaping (Value) -> String
    ) {
        self.name = name
        values = choices.map(word) + ["auto"]
        say = { override, text in override[keyPath: place] = choices.first { word($0) == text } }
    }
}

/// Conditions, in the words that users type.
enum ConditionsText {
    struct Place {
        let name: String
        let key: String
        let value: KeyPath<Conditions, Bool?>
        let override: WritableKeyPath<ConditionsOverride, Bool?>
    }

    static var places: [Place] {
        [
            Place(name: "metered", key: "isExpensive", value: \.isExpensive, override: \.isExpensive),
            Place(name: "constrained", key: "isConstrained", value: \.isConstrained, override: \.isConstrained),
            Place(name: "roaming", key: "isRoaming", value: \.isRoaming, override: \.isRoaming),
            Place(name: "power", key: "hasExternalPower", value: \.hasExternalPower, override: \.hasExternalPower),
            Place(name: "battery-low", key: "isBatteryLow", value: \.isBatteryLow, override: \.isBatteryLow),
            Place(name: "idle", key: "isIdle", value: \.isIdle, override: \.isIdle),
        ]
    }

    static func lines(_ report: ConditionsReport) -> [String] {
        let isNetworkSaid = report.override.network != nil
        var rows = [
            row(
                "network", word(report.effective.network), isSaid: isNetworkSaid,
                measured: word(report.measured.network)),
            row(
                "link", word(report.effective.link), isSaid: report.override.link != nil,
                measured: word(report.measured.link)),
        ]
        for place in places {
            rows.append(
                row(
                    place.name, word(report.effective[keyPath: place.value]),
                    isSaid: report.override[keyPath: place.override] != nil,
                    measured: word(report.measured[keyPath: place.value])))
        }
        if let level = report.effective.batteryLevel { rows.append((explained("battery-level"), "\(level)%")) }
        let width = max(14, (rows.map { DisplayText.width($0.name) }.max() ?? 0) + 1)
        var lines = rows.map { DisplayText.fit($0.name, width) + $0.value }
        if report.effective.isAboutToSleep { lines.append(tr("The machine is about to sleep or to shut down.")) }
        return lines
    }

    static func json(_ report: ConditionsReport) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.object("effective") { $0.members(of: report.effective) }
            json.object("measured") { $0.members(of: report.measured) }
            json.object("override") { json in
                json.member("network", report.override.network.map(word))
                json.member("link", report.override.link.map(word))
                for place in places {
                    json.member(place.key, report.override[keyPath: place.override].map { word($0) })
                }
            }
        }
        json.endLine()
        return json.bytes
    }

    static func word(_ answer: Bool?) -> String { answer.map { $0 ? "yes" : "no" } ?? "unknown" }

    static func word(_ network: Conditions.Network) -> String {
        switch network {
        case .unknown: "unknown"
        case .none: "none"
        case .captive: "captive"
        case .reachable: "reachable"
        }
    }

    static func word(_ link: Conditions.LinkKind) -> String {
        switch link {
        case .unknown: "unknown"
        case .wired: "wired"
        case .wifi: "wifi"
        case .mobile: "mobile"
        case .vpn: "vpn"
        case .other: "other"
        }
    }

    private static func row(
        _ name: String, _ value: String, isSaid: Bool, measured: String
    ) -> (name: String, value: String) {
        (
            explained(name),
            explained(value) + (isSaid ? " " + tr("(set manually; measured: \(explained(measured)))") : "")
        )
    }

    /// The word that users type, with its meaning in their language.
    private static func explained(_ word: String) -> String {
        let meaning = meaning(of: word)
        return meaning == word ? word : "\(word) (\(meaning))"
    }

    private static func meaning(of word: String) -> String {
        switch word {
        case "network": tr("network")
        case "link": tr("link")
        case "metered": tr("metered")
        case "constrained": tr("constrained")
        case "roaming": tr("roaming")
        case "power": tr("power")
        case "battery-low": tr("battery-low")
        case "battery-level": tr("battery-level")
        case "idle": tr("idle")
        case "yes": tr("yes")
        case "no": tr("no")
        case "none": tr("none")
        case "captive": tr("captive")
        case "reachable": tr("reachable")
        case "unknown": tr("unknown")
        case "wired": tr("wired")
        case "mobile": tr("mobile")
        default: word
        }
    }
}

extension JSONWriter {
    fileprivate mutating func members(of conditions: Conditions) {
        member("network", ConditionsText.word(conditions.network))
        for place in ConditionsText.places {
            member(place.key, ConditionsText.word(conditions[keyPath: place.value]))
        }
        member("isAboutToSleep", conditions.isAboutToSleep)
        member("link", ConditionsText.word(conditions.link))
        member("batteryLevel", conditions.batteryLevel)
    }
}
