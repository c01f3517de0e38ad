import LonghaulCore

/// Why one transfer is where it is, and what would move it, in sentences. It says nothing that `show` does not: header
/// values and the query of its URL stay where they are.
struct TransferExamination {
    let detail: TransferDetail
    let conditions: ConditionsReport
    let rules: SessionRulesReport
    let traffic: UserTrafficReport
    let world: World

    var sentences: [String] {
        let transfer = detail.snapshot
        var lines = ["\(transfer.name) is \(StateText.phrase(transfer, now: world.now()))."]
        switch transfer.state {
        case .waiting(let waiting): lines += explain(waiting, transfer)
        case .running: lines += explainRunning(transfer)
        case .awaitingResponse:
            lines.append(
                "Everything was sent. It is not stopped now, whatever the conditions are: the answer would be lost.")
        case .paused: break
        case .failed: lines.append("It starts again, from its last safe byte, with: longhaul retry \(id).")
        case .cancelled: lines.append("It starts again from the beginning with: longhaul retry \(id).")
        case .succeeded: break
        }
        if let last = detail.lastFailure, !transfer.state.isEnded, !tells(last, transfer.state) {
            lines.append("What went wrong last: \(StateText.sentence(last)).")
        }
        if detail.ignoresConditions, !transfer.state.isEnded {
            lines.append(
                "It was told to go on whatever the conditions are; longhaul anyway --undo \(id) takes that back.")
        }
        return lines.map(DisplayText.clean)
    }

    private var id: String { ShortID.text(detail.snapshot.id) }

    private func explain(_ waiting: Waiting, _ transfer: TransferSnapshot) -> [String] {
        var lines = ["It has waited since \(world.localTime(waiting.since))."]
        switch waiting.reason {
        case .turn:
            lines.append("longhaul limits shows and changes how many run at once; --priority lets a transfer go first.")
        case .notBefore: lines.append("It was submitted with this date and begins then by itself.")
        case .retry, .serverBusy: lines.append("longhaul retry \(id) tries at once.")
        case .network:
            let isCaptive = conditions.effective.network == .captive
            lines.append(
                isCaptive
                    ? "The network wants a login first. Open a browser and log in; it goes on by itself then."
                    : "It goes on by itself when there is a network. Now the network is \(ConditionsText.word(conditions.effective.network))."
            )
        case .diskSpace: lines.append("Make room where it is stored; it is tried again by itself.")
        case .credentials: lines.append("Submit the right credentials, or try again with: longhaul retry \(id).")
        case .metered: lines += explain("metered", conditions.effective.isExpensive, \.allowsExpensiveNetworkAccess)
        case .constrained:
            lines += explain("constrained", conditions.effective.isConstrained, \.allowsConstrainedNetworkAccess)
        case .roaming: lines += explain("roaming", conditions.effective.isRoaming, \.allowsRoaming)
        case .power, .battery:
            lines.append(
                "External power: \(ConditionsText.word(conditions.effective.hasExternalPower)), battery low: \(ConditionsText.word(conditions.effective.isBatteryLow)). Plug the machine in, and it goes on by itself."
            )
        case .hours:
            for (who, hours) in [
                ("The transfer's", detail.conditions.hours), ("The session's", rules.rules.conditions.hours),
            ] {
                if let hours { lines.append("\(who) hours are \(RulesText.text(hours)), local time.") }
            }
        case .budget: lines += explainBudget()
        case .sleep: lines.append("It goes on when the machine is awake again.")
        }
        if let date = waiting.until { lines.append("Otherwise it goes on at \(world.localTime(date)).") }
        if waiting.reason.isAsked { lines.append("It goes on now, at your own risk, with: longhaul anyway \(id).") }
        return lines
    }

    private func explain(
        _ name: String, _ answer: Conditions.Answer, _ rule: KeyPath<ConditionRules, Bool>
    ) -> [String] {
        var lines = ["The network counts as \(name): \(ConditionsText.word(answer))."]
        let place = ConditionsText.places.first { $0.name == name }
        if let place, conditions.override[keyPath: place.override] != nil {
            lines.append("That was set by hand; longhaul conditions set \(name) auto leaves it to the measurement.")
        } else if answer == .yes {
            lines.append("If that is wrong: longhaul conditions set \(name) no.")
        }
        if !detail.conditions[keyPath: rule] { lines.append("The transfer was submitted with --no-\(name).") }
        if !rules.rules.conditions[keyPath: rule] {
            lines.append("The session's rules forbid it; longhaul rules --\(name) yes allows it.")
        }
        if detail.conditions.isDiscretionary || rules.rules.conditions.isDiscretionary {
            lines.append("It waits for a convenient moment (--when-convenient).")
        }
        return lines
    }

    private func explainBudget() -> [String] {
        var lines: [String] = []
        for (who, limits, usage) in [
            ("The session", rules.rules.traffic, rules.usage), ("All sessions", traffic.limits, traffic.usage),
        ] {
            if let day = limits.budget.bytesPerDay {
                lines.append("\(who): \(HumanText.bytes(usage.bytesOfDay)) of \(HumanText.bytes(day)) for today.")
            }
            if let month = limits.budget.bytesPerMonth {
                lines.append(
                    "\(who): \(HumanText.bytes(usage.bytesOfMonth)) of \(HumanText.bytes(month)) for this month.")
            }
        }
        return lines + ["An unmetered network, or a larger budget (longhaul limits), lets it go on by itself."]
    }

    private func explainRunning(_ transfer: TransferSnapshot) -> [String] {
        var lines: [String] = []
        if transfer.rate > 0 { lines.append("It moves \(HumanText.rate(transfer.rate)).") }
        if let limit = detail.rateLimit {
            lines.append("Its own limit is \(HumanText.rate(limit)); longhaul set-rate changes it.")
        }
        for (who, limits) in [("The session", rules.rules.traffic), ("All sessions together", traffic.limits)] {
            if limits.rateLimit != nil || !limits.timetable.isEmpty {
                lines.append("\(who) may not go faster than longhaul limits says.")
            }
        }
        return lines
    }

    /// Whether the state's own phrase has named the failure.
    private func tells(_ failure: TransferFailure, _ state: TransferState) -> Bool {
        if case .waiting(let waiting) = state { waiting.failure == failure } else { false }
    }
}

extension Waiting.Reason {
    /// Whether somebody asked for this wait, and can take that back.
    fileprivate var isAsked: Bool {
        switch self {
        case .metered, .constrained, .roaming, .power, .battery, .hours, .budget: true
        case .turn, .notBefore, .retry, .network, .diskSpace, .credentials, .serverBusy, .sleep: false
        }
    }
}
