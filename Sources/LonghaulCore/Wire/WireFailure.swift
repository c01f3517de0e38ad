extension TransferFailure: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(code.rawValue, at: 1)
        writer.text(message, at: 2)
        switch origin {
        case .longhaul: writer.empty(at: 3)
        case .curl(let number): writer.integer(Optional(number), at: 4)
        case .status(let number): writer.integer(Optional(number), at: 5)
        case .system(let number): writer.integer(Optional(number), at: 6)
        case .sqlite(let number): writer.integer(Optional(number), at: 7)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var code: FailureCode?
        var message = ""
        var origin: Origin?
        while let field = try reader.nextField() {
            switch field {
            case 1: code = FailureCode(rawValue: try reader.text())
            case 2: message = try reader.text()
            case 3: origin = try reader.empty(as: .longhaul)
            case 4: origin = .curl(try reader.integer())
            case 5: origin = .status(try reader.integer())
            case 6: origin = .system(try reader.integer())
            case 7: origin = .sqlite(try reader.integer())
            default: try reader.skip()
            }
        }
        guard let code, let origin else { throw .unknownValue }
        self.init(code, message, origin: origin)
    }
}
