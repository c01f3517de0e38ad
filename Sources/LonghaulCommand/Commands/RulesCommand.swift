import LonghaulCore

extension Option {
    fileprivate static let metered = Option("metered", value: "yes|no", "Allow metered networks (default: yes)")
    fileprivate static let roaming = Option("roaming", value: "yes|no", "Allow roaming (default: yes)")
    fileprivate static let needsPower = Option("on-power", value: "yes|no", "Require external power (default: no)")
    fileprivate static let discretionary = Option(
        "when-convenient", value: "yes|no", "Wait for power and an unmetered network (default: no)")
    fileprivate static let givesWay = Option(
        "yield", value: "yes|no", "Yield bandwidth to all other traffic (default: no)")
    fileprivate static let links = Option(
        "link", value: "KIND[,KIND…]|any", "Use only these links: wired, wifi, mobile, vpn, other")
    fileprivate static let idle = Option("when-idle", value: "yes|no", "Require an idle machine (default: no)")
    fileprivate static let level = Option(
        "battery", value: "PERCENT|none", "Require PERCENT charge while on battery (default: none)")
    fileprivate static let hours = Option(
        "between", value: "HH:MM-HH:MM|none", "Run only between these local times (default: none)")
}

/// `longhaul rules`: shows or sets the conditions of a session.
enum RulesCommand {
    static let command = Command(
        "rules", "[options]", "Show or set conditions for all transfers",
        groups: [
            OptionGroup("Network", [.metered, .roaming, .links, .givesWay]),
            OptionGroup("Power and time", [.needsPower, .level, .idle, .hours, .discretionary]),
            OptionGroup(
                "Session and output", [.session, .json],
                examples: [.init("longhaul rules --json", "Show the rules as JSON")]),
        ],
        examples: [
            .init("longhaul rules --metered no", "Wait while the network is metered"),
            .init("longhaul rules --between none --link any", "Remove two rules"),
        ],
        notes: [
            "Without options, the command shows the rules. A transfer's own conditions apply in addition. A change "
                + "affects running transfers at once. Every option accepts default."
        ],
        run: { arguments, world throws(TransferFailure) in
            try arguments.refuseOperands(of: "rules")
            let session = try LocalCheck.session(arguments)
            var probe = ConditionRules()
            let changes = try change(&probe, arguments)
            let service = try await world.connect(true)
            defer { service.close() }
            var rules = try await service.rules(of: session).rules
            if changes {
                _ = try change(&rules.conditions, arguments)
                try await service.setRules(rules, of: session)
                if probe != ConditionRules(), let conditions = try? await service.conditions().effective {
                    for line in UnreportedText.lines(probe, conditions) { world.console.say("longhaul: " + line) }
                }
            }
            if arguments.has(.json) {
                var json = JSONWriter()
                json.object { $0.members(of: rules.conditions) }
                json.endLine()
                world.console.writeOutput(json.bytes)
            } else {
                world.console.print(ConditionRulesText.lines(rules.conditions).joined(separator: "\n"))
            }
            return .success
        })

    /// Applies the options, and returns whether there were any.
    private static func change(
        _ rules: inout ConditionRules, _ arguments: Arguments
    ) throws(TransferFailure) -> Bool {
        let flags: [(Option, WritableKeyPath<ConditionRules, Bool>)] = [
            (.metered, \.allowsExpensiveNetworkAccess), (.roaming, \.allowsRoaming),
            (.needsPower, \.requiresExternalPower), (.discretionary, \.isDiscretionary),
            (.givesWay, \.yieldsToOtherTraffic), (.idle, \.requiresIdleMachine),
        ]
        var changes = try rules.setLinkAndLevel(arguments)
        // An app may have set this rule, which has no separate option.
        if let text = arguments.value(.metered), text != "no" { rules.allowsConstrainedNetworkAccess = true }
        for (option, place) in flags {
            guard let text = arguments.value(option) else { continue }
            guard ["yes", "no", "default"].contains(text) else {
                throw .usage("--\(option.long) must be yes, no, or default, not \"\(text)\".")
            }
            rules[keyPath: place] = text == "default" ? ConditionRules()[keyPath: place] : text == "yes"
            changes = true
        }
        guard let text = arguments.value(.hours) else { return changes }
        rules.hours = text == "none" || text == "default" ? nil : try TransferTemplate.hours(text)
        return true
    }
}

extension ConditionRules {
    /// Applies the options, and returns whether there were any.
    fileprivate mutating func setLinkAndLevel(_ arguments: Arguments) throws(TransferFailure) -> Bool {
        if let text = arguments.value(.links) {
            links = text == "any" || text == "default" ? [] : try RulesText.links(text)
        }
        if let text = arguments.value(.level) {
            leastBatteryLevel = text == "none" || text == "default" ? nil : try arguments.integer(.level, 1...100)
        }
        return arguments.has(.links) || arguments.has(.level)
    }
}

/// The rules of a session, in words.
enum ConditionRulesText {
    static func lines(_ rules: ConditionRules) -> [String] {
        let usual = ConditionRules()
        func flag(_ rule: KeyPath<ConditionRules, Bool>) -> String {
            let word = rules[keyPath: rule] ? tr("yes") : tr("no")
            return rules[keyPath: rule] == usual[keyPath: rule] ? tr("\(word) (default)") : word
        }
        let any = tr("any (default)")
        let rows = [
            (tr("metered networks"), flag(\.allowsExpensiveNetworkAccess)),
            (tr("data-saver mode"), flag(\.allowsConstrainedNetworkAccess)),
            (tr("roaming"), flag(\.allowsRoaming)),
            (tr("only on external power"), flag(\.requiresExternalPower)),
            (tr("only when convenient"), flag(\.isDiscretionary)),
            (tr("yields to other traffic"), rules.isDiscretionary ? tr("yes") : flag(\.yieldsToOtherTraffic)),
            (tr("links"), rules.links.isEmpty ? any : RulesText.text(rules.links)),
            (tr("only on an idle machine"), flag(\.requiresIdleMachine)),
            (tr("battery level at least"), rules.leastBatteryLevel.map { "\($0)%" } ?? any),
            (tr("allowed hours"), rules.hours.map(RulesText.text) ?? any),
        ]
        let width = 2 + (rows.map { DisplayText.width($0.0) }.max() ?? 0)
        return rows.map { DisplayText.fit($0.0, width) + $0.1 }
    }

    /// The rules that are not the defaults, in one line; `nil` without any.
    static func summary(_ rules: ConditionRules) -> String? {
        var parts: [String] = []
        if !rules.allowsExpensiveNetworkAccess { parts.append(tr("no metered network")) }
        if !rules.allowsConstrainedNetworkAccess { parts.append(tr("not in data-saver mode")) }
        if !rules.allowsRoaming { parts.append(tr("no roaming")) }
        if rules.requiresExternalPower { parts.append(tr("only on external power")) }
        if rules.isDiscretionary { parts.append(tr("only when convenient")) }
        if rules.yieldsToOtherTraffic { parts.append(tr("yields to other traffic")) }
        if !rules.links.isEmpty { parts.append(tr("only over \(RulesText.text(rules.links))")) }
        if rules.requiresIdleMachine { parts.append(tr("only on an idle machine")) }
        if let level = rules.leastBatteryLevel { parts.append(tr("battery level at least \(level)%")) }
        if let hours = rules.hours { parts.append(tr("only \(RulesText.text(hours))")) }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

extension JSONWriter {
    mutating func members(of rules: ConditionRules) {
        member("allowsExpensiveNetworkAccess", rules.allowsExpensiveNetworkAccess)
        member("allowsConstrainedNetworkAccess", rules.allowsConstrainedNetworkAccess)
        member("allowsRoaming", rules.allowsRoaming)
        member("requiresExternalPower", rules.requiresExternalPower)
        member("isDiscretionary", rules.isDiscretionary)
        member("yieldsToOtherTraffic", rules.yieldsToOtherTraffic)
        member("hours", rules.hours.map(RulesText.text))
        member("links", rules.links.isEmpty ? nil : RulesText.text(rules.links))
        member("requiresIdleMachine", rules.requiresIdleMachine)
        member("leastBatteryLevel", rules.leastBatteryLevel)
    }
}
