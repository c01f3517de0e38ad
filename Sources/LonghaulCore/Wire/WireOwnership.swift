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

extension OwnerLossReport: WireRecord {
    package static var blank: Self {
        let never = WallTime(microseconds: 0)
        return Self(
            processID: 0, openedAt: never, noticedAt: never, reason: .userForceQuit, policy: .goOn, transfers: 0)
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
    }
}
