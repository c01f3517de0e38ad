import LonghaulCore

/// The conditions of the machine, and the rules and limits that apply to a transfer.
struct TransferSurroundings {
    var conditions = ConditionsReport()
    var rules = SessionRulesReport()
    var traffic = UserTrafficReport()
}

/// The advice for a transfer that waits for conditions, its allowed hours, or a budget.
struct ConditionAdvice {
    let detail: TransferDetail
    let around: TransferSurroundings
    let waiting: Waiting
    let session: SessionID
    let world: World

    func network(_ name: String, _ answer: Bool?, _ rule: KeyPath<ConditionRules, Bool>) -> Advice {
        var causes = [tr("Condition \(name): \(ConditionsText.word(answer)).")]
        let isSessionRule = !around.rules.rules.conditions[keyPath: rule]
        if !detail.options.conditions[keyPath: rule] {
            causes.append(tr("The transfer was submitted with --no-\(name)."))
        }
        if isSessionRule { causes.append(tr("The rules of the session forbid it.")) }
        if detail.options.conditions.isDiscretionary || around.rules.rules.conditions.isDiscretionary {
            causes.append(tr("The transfer waits for a convenient time."))
        }
        var remedies: [String] = []
        let place = ConditionsText.places.first { $0.name == name }
        if let place, around.conditions.override[keyPath: place.override] != nil {
            remedies.append(
                tr(
                    "The condition was set manually. To use the measured value, run longhaul conditions set \(name) auto."
                ))
        } else if answer == true {
            remedies.append(tr("If that is wrong, run longhaul conditions set \(name) no."))
        }
        if isSessionRule {
            let option = name == "roaming" ? name : "metered"
            remedies.append(tr("To allow it for the whole session, run \(session.hint("rules")) --\(option) yes."))
        }
        return Advice(
            cause: causes.joined(separator: " "),
            next: tr("The transfer continues automatically on a network without this condition."),
            remedies: remedies + [anyway])
    }

    var power: Advice {
        let now = around.conditions.effective
        let level = now.batteryLevel.map { "\($0)%" } ?? ConditionsText.word(nil)
        return Advice(
            cause: tr(
                "External power: \(ConditionsText.word(now.hasExternalPower)); battery low: \(ConditionsText.word(now.isBatteryLow)); battery level: \(level)."
            ),
            next: tr("The transfer continues automatically when the machine is plugged in."), remedies: [anyway])
    }

    var link: Advice {
        let (own, others) = (detail.options.conditions.links, around.rules.rules.conditions.links)
        var causes = [tr("The link is \(ConditionsText.word(around.conditions.effective.link)).")]
        if !own.isEmpty { causes.append(tr("The transfer is limited to: \(RulesText.text(own)).")) }
        if !others.isEmpty { causes.append(tr("The session is limited to: \(RulesText.text(others)).")) }
        return Advice(
            cause: causes.joined(separator: " "),
            next: tr("The transfer continues automatically over an allowed link."),
            remedies: [tr("If the link is wrong, run longhaul conditions set link KIND."), anyway])
    }

    var idle: Advice {
        Advice(
            cause: tr("The machine is in use, and the transfer or its session waits until it is idle."),
            next: tr("The transfer continues automatically when the desktop reports that the machine is idle."),
            remedies: [tr("If that is wrong, run longhaul conditions set idle yes."), anyway])
    }

    var hours: Advice {
        var causes: [String] = []
        if let hours = detail.options.conditions.hours {
            causes.append(tr("The allowed hours of the transfer are \(RulesText.text(hours)), local time."))
        }
        if let hours = around.rules.rules.conditions.hours {
            causes.append(tr("The allowed hours of the session are \(RulesText.text(hours)), local time."))
        }
        return Advice(
            cause: causes.isEmpty ? tr("The transfer waits for its allowed hours.") : causes.joined(separator: " "),
            next: automatically, remedies: [tr("To start it now, run \(session.hint("retry", detail.snapshot.id)).")])
    }

    var budget: Advice {
        Advice(
            cause: ([tr("The data budget for metered networks is used up.")] + Self.usage(around))
                .joined(separator: " "),
            next: automatically + " " + tr("On an unmetered network, it continues at once."),
            remedies: [tr("To raise the budget, run \(session.hint("limits")) --budget AMOUNT."), anyway])
    }

    /// Returns the budgets with their usage.
    static func usage(_ around: TransferSurroundings) -> [String] {
        let (own, all) = (around.rules.rules.traffic.budget, around.traffic.limits.budget)
        let (used, usedByAll) = (around.rules.usage, around.traffic.usage)
        var sentences: [String] = []
        if let day = own.bytesPerDay {
            sentences.append(
                tr("Session today: \(HumanText.bytes(used.bytesOfDay)) of \(HumanText.bytes(day))."))
        }
        if let month = own.bytesPerMonth {
            sentences.append(
                tr("Session this month: \(HumanText.bytes(used.bytesOfMonth)) of \(HumanText.bytes(month))."))
        }
        if let day = all.bytesPerDay {
            sentences.append(
                tr("All sessions today: \(HumanText.bytes(usedByAll.bytesOfDay)) of \(HumanText.bytes(day))."))
        }
        if let month = all.bytesPerMonth {
            sentences.append(
                tr(
                    "Data used by all sessions this month: \(HumanText.bytes(usedByAll.bytesOfMonth)) of \(HumanText.bytes(month))."
                ))
        }
        return sentences
    }

    /// Limits that slow a transfer down, and conditions that it ignores.
    static func remarks(
        _ detail: TransferDetail, _ around: TransferSurroundings, in session: SessionID
    ) -> [String] {
        let id = detail.snapshot.id
        var lines: [String] = []
        if case .running = detail.snapshot.state {
            if let limit = detail.options.rateLimit {
                let command = session.hint("set", id)
                lines.append(
                    tr(
                        "Its own rate limit is \(HumanText.rate(limit)). To change it, run \(command) --limit-rate RATE."
                    ))
            }
            let limits = session.hint("limits")
            if around.rules.rules.traffic.limitsRate {
                lines.append(tr("The session has a rate limit. To show it, run \(limits)."))
            }
            if around.traffic.limits.limitsRate {
                lines.append(tr("All sessions together have a rate limit. To show it, run \(limits)."))
            }
        }
        if detail.ignoresConditions, !detail.snapshot.state.isEnded {
            let undo = session.hint("anyway --undo", id)
            lines.append(tr("The transfer ignores its conditions. To apply them again, run \(undo)."))
        }
        return lines
    }

    private var automatically: String {
        waiting.until.map { tr("The transfer continues at \(world.localTime($0)).") }
            ?? tr("The transfer continues automatically.")
    }

    private var anyway: String {
        tr("To continue now regardless, which may cost money, run \(session.hint("anyway", detail.snapshot.id)).")
    }
}

extension TrafficLimits {
    fileprivate var limitsRate: Bool { rateLimit != nil || !timetable.isEmpty }
}
