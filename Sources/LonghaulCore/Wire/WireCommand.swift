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
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&selection, 1)
        try wire.flag(&ended, 2)
        try wire.signed(&afterSequence, 3)
        try wire.always(&limit, 4)
        try wire.text(&key, 5)
        try wire.flag(&wantsRate, 6)
    }
}
