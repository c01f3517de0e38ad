extension SegmentMap: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        var list = ranges.map { ByteRange(start: $0.lowerBound, end: $0.upperBound) }
        let known = list.count
        try wire.messages(&list, 1)
        for range in list.dropFirst(known) { insert(range.start..<range.end) }
    }
}

private struct ByteRange: WireRecord {
    var start: Int64 = 0
    /// The first byte after it.
    var end: Int64 = 0

    static var blank: Self { Self() }

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.length(&start, 1)
        try wire.length(&end, 2)
    }

    func complete() throws(WireError) {
        guard start <= end else { throw .unknownValue }
    }
}
