extension NotificationSlot: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.message(&tally, 1)
        try wire.message(&text, 2)
        try wire.message(&posted, 3)
        try wire.message(&shown, 4)
    }
}

extension NotificationTally: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.count(&underWay, 1)
        try wire.count(&needing, 2)
        try wire.count(&paused, 3)
        try wire.count(&resting, 4)
        try wire.count(&finished, 5)
        try wire.count(&failed, 6)
        try wire.count(&interrupted, 7)
        try wire.count(&announced, 8)
        try wire.flag(&departed, 9)
        try wire.flag(&pausedHere, 10)
        try wire.flag(&hushesProgress, 11)
        try wire.count(&hushedNeeds, 12)
        try wire.message(&subjects.finished, 13)
        try wire.message(&subjects.failed, 14)
        try wire.message(&subjects.needing, 15)
        try wire.message(&subjects.moving, 16)
    }
}

extension NotificationSubject: WireRecord {
    package static var blank: Self {
        Self(transfer: .blank, name: "", host: "", reason: "")
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&transfer, 1)
        try wire.text(&name, 2)
        try wire.text(&host, 3)
        try wire.text(&reason, 4)
        try wire.choice(&direction, 5)
    }
}

extension NotificationHeadline: WireRecord {
    package static var blank: Self { Self(kind: nil, count: 0) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.choice(&kind, 1)
        try wire.count(&count, 2)
    }
}

extension ShownNotification: WireRecord {
    package static var blank: Self { Self(number: 0, server: "", at: WallTime(microseconds: 0)) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        var wide = UInt64(number)
        try wire.unsigned(&wide, 1)
        guard let narrow = UInt32(exactly: wide) else { throw .unknownValue }
        number = narrow
        try wire.text(&server, 2)
        try wire.time(&at, 3)
    }
}
