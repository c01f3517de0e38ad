extension SessionCommand: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try casesOfTransfers(&value, &wire)
        try casesOfApps(&value, &wire)
    }

    /// What is said of transfers, and of the session that has them.
    private static func casesOfTransfers(
        _ value: inout Self?, _ wire: inout WireFields
    ) throws(WireError) {
        try wire.message(&value, 1, { Self.submit($0.items) }) {
            if case .submit(let specs) = $0 { WireList(specs) } else { nil }
        }
        try wire.message(&value, 2, { Self.control($0.verb, $0.selection) }) {
            if case .control(let verb, let selection) = $0 {
                ControlRequest(verb: verb, selection: selection)
            } else {
                nil
            }
        }
        try wire.message(&value, 3, Self.list) { if case .list(let query) = $0 { query } else { nil } }
        try wire.message(&value, 4, Self.show) { if case .show(let id) = $0 { id } else { nil } }
        try wire.message(&value, 5, Self.history) { if case .history(let id) = $0 { id } else { nil } }
        try wire.message(&value, 6, Self.setLimits) { if case .setLimits(let limits) = $0 { limits } else { nil } }
        try wire.empty(&value, 7, .limits)
        try wire.empty(&value, 8, .reconcile)
        try wire.empty(&value, 9, .info)
        try wire.choice(&value, 10, Self.setOwnerLossPolicy) {
            if case .setOwnerLossPolicy(let policy) = $0 { policy } else { nil }
        }
        try wire.empty(&value, 11, .acknowledgeOwnerLoss)
        try wire.empty(&value, 12, .acknowledgeDamage)
    }

    /// What an app says of its credentials, events, rules, notifications and background tasks.
    private static func casesOfApps(
        _ value: inout Self?, _ wire: inout WireFields
    ) throws(WireError) {
        try wire.message(&value, 13, { Self.provideCredential($0.name, url: $0.url, $0.credential) }) {
            if case .provideCredential(let name, let url, let credential) = $0 {
                CredentialGift(name: name, url: url, credential: credential)
            } else {
                nil
            }
        }
        try wire.message(&value, 14, { Self.setCredentialHelper($0.words) }) {
            if case .setCredentialHelper(let words) = $0 { HelperCommand(words: words) } else { nil }
        }
        try wire.empty(&value, 15, .credentials)
        try wire.message(&value, 16, { Self.replaceURL($0.id, url: $0.link.url, headers: $0.link.headers) }) {
            if case .replaceURL(let id, let url, let headers) = $0 {
                URLReplacement(id: id, link: Link(url: url, headers: headers))
            } else {
                nil
            }
        }
        try wire.signed(&value, 17, Self.events) { if case .events(let number) = $0 { number } else { nil } }
        try wire.signed(&value, 18, Self.acknowledgeEvents) {
            if case .acknowledgeEvents(let number) = $0 { number } else { nil }
        }
        try wire.message(&value, 19, { Self.setWake($0.registration) }) {
            if case .setWake(let registration) = $0 { WakeRequestBody(registration: registration) } else { nil }
        }
        try wire.empty(&value, 20, .wakeStatus)
        try wire.message(&value, 21, { Self.adjust($0.adjustment, $0.selection) }) {
            if case .adjust(let adjustment, let selection) = $0 {
                AdjustRequest(adjustment: adjustment, selection: selection)
            } else {
                nil
            }
        }
        try wire.message(&value, 22, Self.setRules) { if case .setRules(let rules) = $0 { rules } else { nil } }
        try wire.empty(&value, 23, .rules)
        try wire.message(&value, 24, Self.notifications) {
            if case .notifications(let request) = $0 { request } else { nil }
        }
        try wire.message(&value, 25, Self.submitTask) { if case .submitTask(let request) = $0 { request } else { nil } }
        try wire.text(&value, 26, Self.cancelTask) { if case .cancelTask(let name) = $0 { name } else { nil } }
        try wire.empty(&value, 27, .cancelAllTasks)
        try wire.message(&value, 28, { Self.tasks(after: $0.after) }) {
            if case .tasks(let after) = $0 { TaskQuery(after: after) } else { nil }
        }
        try wire.text(&value, 29, Self.forceTask) { if case .forceTask(let name) = $0 { name } else { nil } }
        try wire.message(&value, 30, Self.taskReturned) {
            if case .taskReturned(let report) = $0 { report } else { nil }
        }
        try wire.message(&value, 31, Self.setTaskSettings) {
            if case .setTaskSettings(let settings) = $0 { settings } else { nil }
        }
    }
}

/// The payload of `SessionCommand.control`.
struct ControlRequest: WireRecord {
    static var blank: Self { Self(verb: .pause, selection: .all) }

    var verb: ControlVerb
    var selection: TransferSelection

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.choice(&verb, 1)
        try wire.required(&selection, 2)
    }
}

extension TransferSelection: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.message(&value, 1, { Self.ids($0.items) }) {
            if case .ids(let ids) = $0 { WireList(ids) } else { nil }
        }
        try wire.text(&value, 2, Self.group) { if case .group(let group) = $0 { group } else { nil } }
        try wire.empty(&value, 3, .all)
    }
}

extension ListQuery: WireRecord {
    package static var blank: Self { Self(limit: 0) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&selection, 1)
        try wire.flag(&ended, 2)
        try wire.signed(&afterSequence, 3)
        try wire.integer(&limit, 4)
        try wire.text(&key, 5)
    }
}
