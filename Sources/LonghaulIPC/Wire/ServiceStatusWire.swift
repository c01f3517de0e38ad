package import LonghaulCore

extension SessionSummary: WireRecord {
    package static var blank: Self {
        Self(id: .blank, trouble: nil, totals: SessionTotals())
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&id, 1)
        try wire.message(&trouble, 2)
        try wire.message(&totals, 3)
    }
}

extension ServiceStatus: WireRecord {
    package static var blank: Self {
        Self(
            version: "", processID: 0, startedAt: WallTime(microseconds: 0), isSocketActivated: false, clients: 0,
            residentBytes: 0, stateDirectory: "", sessions: [], libcurl: "", directPaths: .none, hasHTTP3: false)
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&version, 1)
        try wire.integer(&processID, 2)
        try wire.time(&startedAt, 3)
        try wire.flag(&isSocketActivated, 4)
        try wire.integer(&clients, 5)
        try wire.signed(&residentBytes, 6)
        try wire.text(&stateDirectory, 7)
        try wire.messages(&sessions, 8)
        try wire.text(&libcurl, 9)
        try wire.flag(&directPaths.receives, 10)
        try wire.flag(&directPaths.sends, 11)
        try wire.flag(&hasHTTP3, 12)
        try wire.message(&trouble, 13)
    }
}
