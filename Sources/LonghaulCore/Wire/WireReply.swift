extension SessionReply: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.message(&value, 1, { Self.submitted($0.items) }) {
            if case .submitted(let answers) = $0 { WireList(answers) } else { nil }
        }
        try wire.message(&value, 2, Self.controlled) { if case .controlled(let it) = $0 { it } else { nil } }
        try wire.message(&value, 3, Self.page) { if case .page(let it) = $0 { it } else { nil } }
        try wire.message(&value, 4, Self.detail) { if case .detail(let it) = $0 { it } else { nil } }
        try wire.message(&value, 5, { Self.history($0.items) }) {
            if case .history(let entries) = $0 { WireList(entries) } else { nil }
        }
        try wire.message(&value, 6, Self.limits) { if case .limits(let it) = $0 { it } else { nil } }
        try wire.message(&value, 7, Self.failed) { if case .failed(let it) = $0 { it } else { nil } }
        try wire.message(&value, 8, Self.reconciled) { if case .reconciled(let it) = $0 { it } else { nil } }
        try wire.message(&value, 9, Self.info) { if case .info(let it) = $0 { it } else { nil } }
        try wire.message(&value, 10, Self.credentials) { if case .credentials(let it) = $0 { it } else { nil } }
        try wire.message(&value, 11, Self.events) { if case .events(let it) = $0 { it } else { nil } }
        try wire.message(&value, 12, Self.wake) { if case .wake(let it) = $0 { it } else { nil } }
        try wire.message(&value, 13, Self.rules) { if case .rules(let it) = $0 { it } else { nil } }
        try wire.message(&value, 14, Self.notifications) { if case .notifications(let it) = $0 { it } else { nil } }
        try wire.message(&value, 15, Self.tasks) { if case .tasks(let it) = $0 { it } else { nil } }
        try wire.empty(&value, 16, .taskDone)
    }
}

extension SubmissionAnswer: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.message(&value, 1, Self.accepted) { if case .accepted(let id) = $0 { id } else { nil } }
        try wire.message(&value, 2, Self.existing) { if case .existing(let id) = $0 { id } else { nil } }
        try wire.message(&value, 3, Self.refused) { if case .refused(let failure) = $0 { failure } else { nil } }
    }
}

extension ControlAnswer: WireRecord {
    package static var blank: Self { Self(changed: 0) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.integer(&changed, 1)
        try wire.messages(&refusals, 2)
    }
}

extension ControlAnswer.Refusal: WireRecord {
    package static var blank: Self { Self(id: .blank, failure: .blank) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&id, 1)
        try wire.required(&failure, 2)
    }
}
