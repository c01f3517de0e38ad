extension TransferSnapshot: WireRecord {
    package static var blank: Self {
        Self(
            id: TransferID(high: 0, low: 0), sequence: 0, key: nil, group: nil, direction: .download, method: "",
            url: "", name: "", path: nil, state: .paused, turnLimit: nil, priority: 0, bytesDone: 0, bytesTotal: nil,
            rate: 0, attempts: 0, createdAt: WallTime(microseconds: 0), startedAt: nil, endedAt: nil, status: nil)
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&id, 1)
        try wire.signed(&sequence, 2)
        try wire.text(&key, 3)
        try wire.text(&group, 4)
        try wire.choice(&direction, 5)
        try wire.text(&method, 6)
        try wire.text(&url, 7)
        try wire.text(&name, 8)
        try wire.text(&path, 9)
        try wire.required(&state, 10)
        try wire.choice(&turnLimit, 11)
        try wire.integer(&priority, 12)
        try wire.signed(&bytesDone, 13)
        try wire.signed(&bytesTotal, 14)
        try wire.signed(&rate, 15)
        try wire.integer(&attempts, 16)
        try wire.time(&createdAt, 17)
        try wire.time(&startedAt, 18)
        try wire.time(&endedAt, 19)
        try wire.integer(&status, 20)
        try wire.integer(&restartCounts, 21)
        try wire.choice(&restartReason, 22)
        try wire.flag(&losesBytesWhenStopped, 23)
        try wire.message(&predecessor, 24)
        try wire.flag(&followsFailure, 25)
        try wire.integer(&turnLimitCount, 26)
        try wire.integer(&attemptsLeft, 27)
        try wire.flag(&isLengthUnverified, 28)
        try wire.text(&resultURL, 29)
        try wire.text(&mirrorURL, 30)
        try wire.text(&rejectedURL, 31)
    }
}

extension HistoryEntry: WireRecord {
    package static var blank: Self {
        Self(number: 0, at: WallTime(microseconds: 0), event: "", detail: "", bytesDone: 0)
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.signed(&number, 1)
        try wire.time(&at, 2)
        try wire.text(&event, 3)
        try wire.text(&detail, 4)
        try wire.signed(&bytesDone, 5)
    }
}

extension TransferDetail: WireRecord {
    package static var blank: Self {
        Self(snapshot: .blank, headers: [], response: nil, lastFailure: nil, restarts: 0)
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&snapshot, 1)
        try wire.messages(&headers, 2)
        try wire.message(&response, 3)
        try wire.message(&lastFailure, 4)
        try wire.integer(&restarts, 5)
        try wire.flag(&ignoresConditions, 9)
        try wire.messages(&mirrors, 10)
        try wire.choice(&notRetriedBecause, 11)
        try wire.message(&connections, 12)
        try wire.length(&bytesKept, 13)
        try wire.required(&options, 14)
    }
}
