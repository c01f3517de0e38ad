extension MirrorTable: WireRecord {
    package static var blank: Self { Self([]) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.messages(&places, 1)
        try wire.count(&current, 2)
        try wire.integer(&origin, 3)
    }

    package func complete() throws(WireError) {
        guard places.indices.contains(current), places.count <= Self.mostPlaces,
            origin.map(places.indices.contains) ?? true
        else { throw .unknownValue }
    }
}

extension MirrorTable.Place: WireRecord {
    package static var blank: Self { Self(url: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&url, 1)
        try wire.signed(&bytes, 2)
        try wire.signed(&rate, 3)
        try wire.count(&failures, 4)
        try wire.time(&restsUntil, 5)
        try wire.choice(&standing, 6)
        try wire.message(&failure, 7)
    }
}

extension ConnectionReport: WireRecord {
    package static var blank: Self { Self(count: 0, reason: .measuring) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.integer(&count, 1)
        try wire.choice(&reason, 2)
    }
}

extension MirrorReport: WireRecord {
    package static var blank: Self { Self(url: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&url, 1)
        try wire.signed(&bytes, 2)
        try wire.signed(&rate, 3)
        try wire.choice(&standing, 4)
        try wire.flag(&isAsked, 5)
        try wire.message(&failure, 6)
    }
}
