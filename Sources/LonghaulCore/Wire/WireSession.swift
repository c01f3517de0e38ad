extension ListPage: WireRecord {
    package static var blank: Self { Self(transfers: [], hasMore: false, totals: SessionTotals()) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.messages(&transfers, 1)
        try wire.flag(&hasMore, 2)
        try wire.message(&totals, 3)
        try wire.signed(&rate, 4)
    }
}

extension SessionTotals: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.integer(&waiting, 1)
        try wire.integer(&running, 2)
        try wire.integer(&paused, 3)
        try wire.integer(&succeeded, 4)
        try wire.integer(&failed, 5)
        try wire.integer(&cancelled, 6)
    }
}

extension SessionLimits: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.integer(&chosenTotal, 1)
        try wire.integer(&chosenPerHost, 2)
        try wire.numbers(&perGroup, 3)
        try wire.integer(&chosenStreams, 4)
    }
}

extension WatchUpdate: WireRecord {
    package static var blank: Self { Self(changed: [], removed: []) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.messages(&changed, 1)
        try wire.messages(&removed, 2)
        try wire.flag(&completesList, 3)
        try wire.flag(&beginsList, 4)
        try wire.messages(&succeeded, 5)
    }
}

extension WatchUpdate.Success: WireRecord {
    package static var blank: Self {
        Self(id: .blank, path: nil)
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&id, 1)
        try wire.text(&path, 2)
    }
}
