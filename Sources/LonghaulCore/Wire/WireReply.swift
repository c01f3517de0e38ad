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
