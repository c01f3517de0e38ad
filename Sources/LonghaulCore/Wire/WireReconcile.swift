extension ReconcileReport: WireRecord {
    package static var blank: Self { Self(checked: 0) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.integer(&checked, 1)
        try wire.messages(&findings, 2)
        try wire.integer(&omitted, 3)
    }
}

extension ReconcileFinding: WireRecord {
    package static var blank: Self { Self(.partialMissing) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.word(&kind, 1)
        try wire.message(&transfer, 2)
        try wire.text(&path, 3)
    }
}
