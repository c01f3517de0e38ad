extension TransferState: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.message(&value, 1, Self.waiting) { if case .waiting(let waiting) = $0 { waiting } else { nil } }
        try wire.choice(&value, 2, Self.running) { if case .running(let phase) = $0 { phase } else { nil } }
        try wire.empty(&value, 3, .awaitingResponse)
        try wire.empty(&value, 4, .paused)
        try wire.empty(&value, 5, .succeeded)
        try wire.message(&value, 6, Self.failed) { if case .failed(let failure) = $0 { failure } else { nil } }
        try wire.empty(&value, 7, .cancelled)
    }
}

extension Waiting: WireRecord {
    package static var blank: Self { Self(.turn, since: WallTime(microseconds: 0)) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.choice(&reason, 1)
        try wire.time(&since, 2)
        try wire.time(&until, 3)
        try wire.message(&failure, 4)
        try wire.time(&retryAfter, 5)
    }
}
