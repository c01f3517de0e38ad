import LonghaulCore

/// The doctor's check of the network, the limits, and the rules, and of the reasons why transfers wait.
struct QueueExamination {
    let world: World
    let session: SessionID

    func findings(_ service: any TransferService) async throws(TransferFailure) -> [Finding] {
        let conditions = try await service.conditions()
        let rules = try await service.rules(of: session)
        let traffic = try await service.traffic()
        let around = TransferSurroundings(conditions: conditions, rules: rules, traffic: traffic)
        let limits = LimitsText(limits: try await service.limits(of: session), own: rules, common: traffic)
        let queue = try await queue(service)
        return [Self.network(conditions)] + self.limits(limits) + Self.rules(around, in: session)
            + waits(queue.waiting) + failures(queue.failed)
    }

    static func network(_ report: ConditionsReport) -> Finding {
        let now = report.effective
        let isOverridden = report.override != ConditionsOverride()
        let remedy = isOverridden ? tr("Some conditions are set manually. To show them, run longhaul conditions.") : nil
        switch now.network {
        case .none:
            return Finding(
                "network", .warn, tr("This machine has no network."), remedy: remedy ?? tr("Connect it to a network."))
        case .captive:
            return Finding(
                "network", .warn, tr("This network requires a login."),
                remedy: remedy ?? tr("Open a browser and log in."))
        case .reachable, .unknown: break
        }
        var words: [String] = []
        if now.isExpensive == true { words.append(tr("metered")) }
        if now.isRoaming == true { words.append(tr("roaming")) }
        if now.isConstrained == true { words.append(tr("in data-saver mode")) }
        guard words.isEmpty else {
            return Finding("network", .note, tr("The network is \(words.joined(separator: ", "))."), remedy: remedy)
        }
        let message =
            now.network == .reachable ? tr("This machine has a network.") : tr("The state of the network is unknown.")
        return Finding("network", isOverridden ? .note : .ok, message, remedy: remedy)
    }

    private func limits(_ text: LimitsText) -> [Finding] {
        let chosen = text.chosen
        guard !chosen.isEmpty else { return [Finding("limits", .ok, tr("All limits have their defaults."))] }
        return [
            Finding(
                "limits", .note, tr("Limits are set: \(chosen.joined(separator: ", "))."),
                remedy: tr("To reset them, run \(session.hint("limits")) --reset."))
        ]
    }

    /// Rules of the session, and budgets that are used up. Empty without them.
    private static func rules(_ around: TransferSurroundings, in session: SessionID) -> [Finding] {
        var findings: [Finding] = []
        if let summary = ConditionRulesText.summary(around.rules.rules.conditions) {
            findings.append(
                Finding(
                    "rules", .note, tr("Rules of the session apply to all transfers: \(summary)."),
                    remedy: tr("To show them, run \(session.hint("rules")).")))
        }
        let usage = ConditionAdvice.usage(around)
        if !usage.isEmpty {
            findings.append(Finding("budget", .note, usage.joined(separator: " ")))
        }
        return findings
    }

    /// Returns the waiting transfers, and the number of failed ones.
    private func queue(
        _ service: any TransferService
    ) async throws(TransferFailure) -> (waiting: [TransferSnapshot], failed: Int) {
        var waiting: [TransferSnapshot] = []
        let totals = try await ListPages.forEach(ListQuery(ended: false), in: session, over: service) { transfer in
            if case .waiting = transfer.state { waiting.append(transfer) }
        }
        return (waiting, totals.failed)
    }

    private func failures(_ count: Int) -> [Finding] {
        guard count > 0 else { return [] }
        let (list, retry) = (session.hint("list"), session.hint("retry"))
        return [
            Finding(
                "failed", .warn, count == 1 ? tr("1 transfer failed.") : tr("\(count) transfers failed."),
                remedy: tr("To list the failures, run \(list) --state failed. To retry, run \(retry) --state failed."))
        ]
    }

    /// One finding for each reason, the most frequent first.
    func waits(_ transfers: [TransferSnapshot]) -> [Finding] {
        guard !transfers.isEmpty else { return [Finding("queue", .ok, tr("No transfer waits."))] }
        var groups: [String: [(transfer: TransferSnapshot, waiting: Waiting)]] = [:]
        for transfer in transfers {
            guard case .waiting(let waiting) = transfer.state else { continue }
            groups[reason(waiting, transfer), default: []].append((transfer, waiting))
        }
        return groups.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map { reason, group in
            let count =
                group.count == 1
                ? tr("1 transfer waits: \(reason).") : tr("\(group.count) transfers wait: \(reason).")
            return Finding("queue", .note, count, remedy: end(group.map(\.waiting), group[0].transfer))
        }
    }

    /// The reason, equal for transfers that the same event releases.
    private func reason(_ waiting: Waiting, _ transfer: TransferSnapshot) -> String {
        if let host = heldHost(waiting, transfer) { return tr("\(host) requested a pause (Retry-After)") }
        return switch waiting.reason {
        case .turn: StateText.fullLimit(transfer)
        case .notBefore: tr("start time")
        case .retry, .serverBusy: tr("retry after a failure")
        case .network: tr("no network")
        case .diskSpace: tr("the disk is full")
        case .mount: tr("a file system is not mounted")
        case .unlock: tr("the device is locked")
        case .credentials: tr("credentials")
        case .metered: tr("the network is metered")
        case .constrained: tr("data-saver mode")
        case .roaming: tr("roaming")
        case .power: tr("no external power")
        case .battery: tr("the battery is low")
        case .hours: tr("allowed hours")
        case .budget: tr("the data budget is used up")
        case .sleep: tr("the machine is about to sleep")
        case .link: tr("the kind of link is not allowed")
        case .idle: tr("the machine is in use")
        case .clock: tr("the clock of this machine may be wrong")
        case .predecessor: tr("predecessor")
        }
    }

    private func heldHost(_ waiting: Waiting, _ transfer: TransferSnapshot) -> String? {
        let isHeld =
            waiting.reason == .turn && transfer.turnLimit == .heldHost
            || waiting.reason == .serverBusy && waiting.isServerTime(at: world.now())
        return isHeld ? StateText.host(transfer) : nil
    }

    /// The event that ends a wait, with the command that does.
    private func end(_ waits: [Waiting], _ example: TransferSnapshot) -> String {
        let first = waits.compactMap(\.until).min().map(world.localTime)
        if heldHost(waits[0], example) != nil {
            let until = waits.compactMap { $0.retryAfter ?? $0.until }.max().map(world.localTime)
            return until.map { tr("The pause ends at \($0). To try now, run \(session.hint("retry")) ID.") }
                ?? tr("To try now, run \(session.hint("retry")) ID.")
        }
        switch waits[0].reason {
        case .turn:
            return example.turnLimit == nil
                ? tr("The next one starts when others have ended.")
                : tr("The next one starts when others have ended. To change the limit, run \(session.hint("limits")).")
        case .notBefore, .retry, .serverBusy, .hours, .budget:
            if let first { return tr("The next one starts at \(first).") }
        case .network, .diskSpace, .mount, .credentials, .metered, .constrained, .roaming, .power, .battery, .sleep,
            .link, .idle, .clock, .predecessor, .unlock:
            break
        }
        return tr("For details, run \(session.hint("doctor", example.id)).")
    }
}
