extension ReconcileReport: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.integer(checked, at: 1)
        writer.messages(findings, at: 2)
        writer.integer(omitted, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(checked: 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: checked = try reader.integer()
            case 2: findings.append(try reader.message())
            case 3: omitted = try reader.integer()
            default: try reader.skip()
            }
        }
    }
}

extension ReconcileFinding: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(code.rawValue, at: 1)
        writer.message(transfer, at: 2)
        writer.text(path, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var code: Code?
        var transfer: TransferID?
        var path: String?
        while let field = try reader.nextField() {
            switch field {
            case 1: code = Code(rawValue: try reader.text())
            case 2: transfer = try reader.message()
            case 3: path = try reader.text()
            default: try reader.skip()
            }
        }
        guard let code else { throw .unknownValue }
        self.init(code, transfer: transfer, path: path)
    }
}
