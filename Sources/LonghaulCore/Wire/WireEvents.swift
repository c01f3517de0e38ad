extension SessionEvent: WireRecord {
    package static var blank: Self { Self(number: 0, at: WallTime(microseconds: 0), kind: .allTransfersFinished) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.signed(&number, 1)
        try wire.time(&at, 2)
        try wire.cases(&kind)
    }
}

extension SessionEvent.Kind: WireCases {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.message(&value, 3, Self.transferFinished) {
            if case .transferFinished(let it) = $0 { it } else { nil }
        }
        try wire.empty(&value, 4, .allTransfersFinished)
        try wire.message(&value, 5, Self.needsCredentials) {
            if case .needsCredentials(let it) = $0 { it } else { nil }
        }
        try wire.message(&value, 6, Self.notificationTapped) {
            if case .notificationTapped(let tap) = $0 { tap } else { nil }
        }
    }
}

extension EventPage: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.messages(&events, 1)
        try wire.flag(&hasMore, 2)
    }
}
