extension SegmentMap: WireMessage {
    package func encode(into writer: inout WireWriter) {
        for range in ranges { writer.message(WireRange(range), at: 1) }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: insert((try reader.message() as WireRange).range)
            default: try reader.skip()
            }
        }
    }
}

/// A range of a file, of which the first byte and the one behind the last are told.
private struct WireRange: WireMessage {
    var range: Range<Int64>

    init(_ range: Range<Int64>) {
        self.range = range
    }

    func encode(into writer: inout WireWriter) {
        writer.signed(range.lowerBound, at: 1)
        writer.signed(range.upperBound, at: 2)
    }

    init(from reader: inout WireReader) throws(WireError) {
        var (start, end): (Int64, Int64) = (0, 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: start = try reader.length()
            case 2: end = try reader.length()
            default: try reader.skip()
            }
        }
        guard start <= end else { throw .unknownValue }
        range = start..<end
    }
}
