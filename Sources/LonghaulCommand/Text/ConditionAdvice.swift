import LonghaulCore

/// What surrounds a transfer: how the machine is connected and powered, and what the rules make of that.
struct TransferSurroundings {
    var conditions = ConditionsReport()
    var rules = SessionRulesReport()
    var traffic = UserTrafficReport()
}

/// What there is to say about a transfer that the conditions, its hours or a budget hold back.
struct ConditionAdvice {
    let detail: TransferDetail
    let around: TransferSurroundings
    let waiting: Waiting
    let session: SessionID
    let world: World

    func network(_ name: String, _ answer: Bool?, _ rule: KeyPath<ConditionRules, Bool>) -> Advice {
        var cause = "The network counts as \(name) (\(ConditionsText.word(answer)))"
        if !detail.options.conditions[keyPath: rule] { cause += ", and the transfer was submitted with --no-\(name)" }
        if !around.rules.rules.conditions[keyPath: rule] { cause += ", and the session's rules forbid it" }
        if detail.options.conditions.isDiscretionary || around.rules.rules.conditions.isDiscretionary {
            cause += ", and it waits for a convenient moment"
        }
        var remedies: [String] = []
        let place = ConditionsText.places.first { $0.name == name }
        if let place, around.conditions.override[keyPath: place.override] != nil {
            remedies.append("That was set by hand: longhaul conditions set \(name) auto leaves it to the measurement.")
        } else if answer == true {
            remedies.append("If that is wrong: longhaul conditions set \(name) no.")
        }
        if !around.rules.rules.conditions[keyPath: rule] {
            remedies.append("\(session.hint("rules")) --\(name) yes allows it to the whole session.")
        }
        return Advice(
            cause: cause + ".", next: "It goes on by itself on a network that is not \(name).",
            remedies: remedies + [anyway])
    }

    var power: Advice {
        let now = around.conditions.effective
        let level = now.batteryLevel.map { " (\($0)%)" } ?? ""
        return Advice(
            cause:
                "External power: \(ConditionsText.word(now.hasExternalPower)); battery low: \(ConditionsText.word(now.isBatteryLow))\(level).",
            next: "It goes on by itself when the machine is plugged in.", remedies: [anyway])
    }

    var link: Advice {
        let allowed = [
            ("the transfer", detail.options.conditions.links), ("the session", around.rules.rules.conditions.links),
        ].filter { !$0.1.isEmpty }.map { "\($0.0) wants \(RulesText.text($0.1))" }
        return Advice(
            cause: "The link is \(ConditionsText.word(around.conditions.effective.link)), and "
                + (allowed.isEmpty ? "another was wanted" : allowed.joined(separator: ", ")) + ".",
            next: "It goes on by itself over such a link.",
            remedies: ["If that is wrong: longhaul conditions set link KIND says what it is.", anyway])
    }

    var idle: Advice {
        Advice(
            cause: "Somebody uses the machine, and the transfer, or its session, waits until nobody does.",
            next: "It goes on by itself when the desktop says that the machine is idle.",
            remedies: ["If that is wrong: longhaul conditions set idle yes.", anyway])
    }

    var hours: Advice {
        let all = [
            ("The transfer's", detail.options.conditions.hours), ("The session's", around.rules.rules.conditions.hours),
        ]
        let told = all.compactMap { who, hours in hours.map { "\(who) hours are \(RulesText.text($0)), local time." } }
        return Advice(
            cause: told.isEmpty ? "Its hours have not come." : told.joined(separator: " "), next: byItself,
            remedies: ["\(session.hint("retry", detail.snapshot.id)) begins now, outside of its hours."])
    }

    var budget: Advice {
        var told: [String] = []
        for (who, limits, usage) in [
            ("The session", around.rules.rules.traffic, around.rules.usage),
            ("All sessions", around.traffic.limits, around.traffic.usage),
        ] {
            if let day = limits.budget.bytesPerDay {
                told.append("\(who): \(HumanText.bytes(usage.bytesOfDay)) of \(HumanText.bytes(day)) for today.")
            }
            if let month = limits.budget.bytesPerMonth {
                told.append(
                    "\(who): \(HumanText.bytes(usage.bytesOfMonth)) of \(HumanText.bytes(month)) for this month.")
            }
        }
        return Advice(
            cause: (["The data budget for metered networks is used up."] + told).joined(separator: " "),
            next: byItself + " An unmetered network lets it go on at once.",
            remedies: ["\(session.hint("limits")) allows a larger budget.", anyway])
    }

    /// What else holds a transfer back or slows it, whatever its state.
    static func remarks(
        _ detail: TransferDetail, _ around: TransferSurroundings, in session: SessionID
    ) -> [String] {
        let id = detail.snapshot.id
        var lines: [String] = []
        if case .running = detail.snapshot.state {
            if let limit = detail.options.rateLimit {
                lines.append(
                    "Its own limit is \(HumanText.rate(limit)): \(session.hint("set --limit-rate RATE", id)) changes it."
                )
            }
            for (who, limits) in [
                ("The session", around.rules.rules.traffic), ("All sessions together", around.traffic.limits),
            ] where limits.rateLimit != nil || !limits.timetable.isEmpty {
                lines.append("\(who) may not go faster than \(session.hint("limits")) says.")
            }
        }
        if detail.ignoresConditions, !detail.snapshot.state.isEnded {
            lines.append(
                "It was told to go on whatever the conditions are: \(session.hint("anyway --undo", id)) takes that back."
            )
        }
        return lines
    }

    private var byItself: String {
        waiting.until.map { "It goes on at \(world.localTime($0))." } ?? "It goes on by itself when that has passed."
    }

    private var anyway: String {
        "\(session.hint("anyway", detail.snapshot.id)) lets it go on now, at your own cost."
    }
}
