import LonghaulCore

extension Command {
    static let conditions = Command(
        "conditions", "[set CONDITION VALUE]", "Show what is known of network and power, or say it by hand",
        options: [.json],
        notes: [
            "CONDITION is metered, constrained, roaming, power, battery-low or idle, with the VALUE yes, no or auto; network, with reachable, none, captive or auto; or link, with wired, wifi, mobile, vpn, other or auto. What is said by hand holds for all sessions until it is set to auto.",
            "What nobody tells is unknown, and stops no transfer.",
        ],
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

/// `set metered yes`, understood.
private struct ConditionChange {
    let apply: (inout ConditionsOverride) -> Void

    init?(_ words: [String]) throws(TransferFailure) {
        if words.isEmpty { return nil }
        guard words.count == 3, words[0] == "set" else {
            throw .usage("conditions takes nothing, or set CONDITION VALUE such as set metered yes")
        }
        let (name, value) = (words[1], words[2])
        if name == "network" {
            let networks: [String: Conditions.Network] = [
                "reachable": .reachable, "none": Conditions.Network.none, "captive": .captive,
            ]
            guard networks[value] != nil || value == "auto" else {
                throw .usage("network is reachable, none, captive or auto, not \"\(value)\"")
            }
            self.init { $0.network = networks[value] }
            return
        }
        if name == "link" {
            let link = value == "auto" ? nil : try RulesText.links(value).first
            self.init { $0.link = link }
            return
        }
        let answers: [String: Conditions.Answer] = ["yes": .yes, "no": .no]
        guard let place = ConditionsText.places.first(where: { $0.name == name })?.override else {
            throw .usage(
                "there is no condition \"\(name)\"; there are network, link, "
                    + ConditionsText.places.map(\.name).joined(separator: ", "))
        }
        guard answers[value] != nil || value == "auto" else {
            throw .usage("\(name) is yes, no or auto, not \"\(value)\"")
        }
        self.init { $0[keyPath: place] = answers[value] }
    }

    private init(_ apply: @escaping (inout ConditionsOverride) -> Void) {
        self.apply = apply
    }
}

/// Conditions in words.
enum ConditionsText {
    struct Place {
        let name: String
        let key: String
        let value: KeyPath<Conditions, Conditions.Answer>
        let override: WritableKeyPath<ConditionsOverride, Conditions.Answer?>
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
        var lines = [
            line(
                "network", word(report.effective.network), isSaid: isNetworkSaid,
                measured: word(report.measured.network)),
            line(
                "link", word(report.effective.link), isSaid: report.override.link != nil,
                measured: word(report.measured.link)),
        ]
        for place in places {
            lines.append(
                line(
                    place.name, word(report.effective[keyPath: place.value]),
                    isSaid: report.override[keyPath: place.override] != nil,
                    measured: word(report.measured[keyPath: place.value])))
        }
        if let level = report.effective.batteryLevel {
            lines.append(DisplayText.fit("battery level", 14) + "\(level)%")
        }
        if report.effective.isAboutToSleep { lines.append("the machine is about to sleep or to shut down") }
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
                for place in places { json.member(place.key, report.override[keyPath: place.override].map(word)) }
            }
        }
        json.endLine()
        return json.bytes
    }

    static func word(_ answer: Conditions.Answer) -> String {
        switch answer {
        case .unknown: "unknown"
        case .no: "no"
        case .yes: "yes"
        }
    }

    static func word(_ network: Conditions.Network) -> String {
        switch network {
        case .unknown: "unknown"
        case .none: "none"
        case .captive: "captive"
        case .reachable: "reachable"
        }
    }

    static func word(_ link: Conditions.Link) -> String {
        switch link {
        case .unknown: "unknown"
        case .wired: "wired"
        case .wifi: "wifi"
        case .mobile: "mobile"
        case .vpn: "vpn"
        case .other: "other"
        }
    }

    private static func line(_ name: String, _ value: String, isSaid: Bool, measured: String) -> String {
        DisplayText.fit(name, 14) + value + (isSaid ? " (set by hand; measured: \(measured))" : "")
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
