extension TransferID: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.fixed(high, at: 1)
        writer.fixed(low, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: halves.high = try reader.fixed()
            case 2: halves.low = try reader.fixed()
            default: try reader.skip()
            }
        }
        self.init(high: halves.high, low: halves.low)
    }
}

extension SessionID: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(description, at: 1)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var text = ""
        while let field = try reader.nextField() {
            switch field {
            case 1: text = try reader.text()
            default: try reader.skip()
            }
        }
        guard let session = SessionID(text) else { throw .unknownValue }
        self = session
    }
}
