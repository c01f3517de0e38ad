extension SessionOwner: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.choice(kind, at: 1)
        writer.integer(processID, at: 2)
        writer.text(bootID, at: 3)
        writer.time(openedAt, at: 4)
        writer.time(endedAt, at: 5)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(kind: .app, processID: 0, bootID: "", openedAt: WallTime(microseconds: 0))
        while let field = try reader.nextField() {
            switch field {
            case 1: kind = try reader.choice()
            case 2: processID = try reader.integer()
            case 3: bootID = try reader.text()
            case 4: openedAt = try reader.time()
            case 5: endedAt = try reader.time()
            default: try reader.skip()
            }
        }
    }
}

extension OwnerLossReport: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.integer(processID, at: 1)
        writer.time(openedAt, at: 2)
        writer.time(noticedAt, at: 3)
        writer.choice(reason, at: 4)
        writer.choice(policy, at: 5)
        writer.integer(transfers, at: 6)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let never = WallTime(microseconds: 0)
        self.init(
            processID: 0, openedAt: never, noticedAt: never, reason: .userForceQuit, policy: .goOn, transfers: 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: processID = try reader.integer()
            case 2: openedAt = try reader.time()
            case 3: noticedAt = try reader.time()
            case 4: reason = try reader.choice()
            case 5: policy = try reader.choice()
            case 6: transfers = try reader.integer()
            default: try reader.skip()
            }
        }
    }
}

extension SessionInfo: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(owner, at: 1)
        writer.choice(ownerLossPolicy, at: 2)
        writer.message(ownerLoss, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: owner = try reader.message()
            case 2: ownerLossPolicy = try reader.choice()
            case 3: ownerLoss = try reader.message()
            default: try reader.skip()
            }
        }
    }
}

/// The payload of `SessionCommand.setOwnerLossPolicy`.
struct OwnerLossPolicyRequest: WireMessage {
    var policy: OwnerLossPolicy

    init(policy: OwnerLossPolicy) {
        self.policy = policy
    }

    func encode(into writer: inout WireWriter) {
        writer.choice(policy, at: 1)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(policy: .goOn)
        while let field = try reader.nextField() {
            switch field {
            case 1: policy = try reader.choice()
            default: try reader.skip()
            }
        }
    }
}
