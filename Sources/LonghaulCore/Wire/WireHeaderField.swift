extension HeaderField: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(name, at: 1)
        writer.text(value, at: 2)
        writer.flag(isSecret, at: 3)
    }

    /// A field that is always secret comes back secret, whatever the bytes say.
    package init(from reader: inout WireReader) throws(WireError) {
        var name = ""
        var value = ""
        var isSecret = false
        while let field = try reader.nextField() {
            switch field {
            case 1: name = try reader.text()
            case 2: value = try reader.text()
            case 3: isSecret = try reader.flag()
            default: try reader.skip()
            }
        }
        self.init(name, value, isSecret: isSecret)
    }
}
