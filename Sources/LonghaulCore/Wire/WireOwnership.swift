extension SessionOwner: WireRecord {
    package static var blank: Self { Self(kind: .app, processID: 0, bootID: "", openedAt: WallTime(microseconds: 0)) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.choice(&kind, 1)
        try wire.integer(&processID, 2)
        try wire.text(&bootID, 3)
        try wire.time(&openedAt, 4)
        try wire.time(&endedAt, 5)
    }
}

extension LastWill: WireRecord {
    package static var blank: Self { Self(request: .blank, witness: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&request, 1)
        try wire.text(&witness, 2)
    }
}

extension LastWillOrder: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.message(&value, 1, Self.keep) { if case .keep(let will) = $0 { will } else { nil } }
        try wire.text(&value, 2, Self.takeBack) { if case .takeBack(let witness) = $0 { witness } else { nil } }
    }
}

extension OwnerLossReport: WireRecord {
    package static var blank: Self {
        let never = WallTime(microseconds: 0)
        return Self(
            processID: 0, openedAt: never, noticedAt: never, reason: .userForceQuit, policy: .resume, transfers: 0)
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.integer(&processID, 1)
        try wire.time(&openedAt, 2)
        try wire.time(&noticedAt, 3)
        try wire.choice(&reason, 4)
        try wire.choice(&policy, 5)
        try wire.integer(&transfers, 6)
    }
}

extension SessionInfo: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.message(&owner, 1)
        try wire.choice(&ownerLossPolicy, 2)
        try wire.message(&ownerLoss, 3)
        try wire.integer(&lastWills, 4)
    }
}
