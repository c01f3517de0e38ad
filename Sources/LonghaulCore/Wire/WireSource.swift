extension SourceFile: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(path, at: 1)
        writer.message(pin, at: 2)
        writer.flag(isStaged, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var path = ""
        var pin: SourcePin?
        var isStaged = false
        while let field = try reader.nextField() {
            switch field {
            case 1: path = try reader.text()
            case 2: pin = try reader.message()
            case 3: isStaged = try reader.flag()
            default: try reader.skip()
            }
        }
        guard let pin else { throw .missingValue }
        self.init(path: path, pin: pin, isStaged: isStaged)
    }
}

extension SourcePin: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.signed(size, at: 1)
        writer.signed(modified, at: 2)
        writer.unsigned(inode, at: 3)
        writer.unsigned(device, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(size: 0, modified: 0, inode: 0, device: 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: size = try reader.length()
            case 2: modified = try reader.signed()
            case 3: inode = try reader.unsigned()
            case 4: device = try reader.unsigned()
            default: try reader.skip()
            }
        }
    }
}

extension Digest: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.choice(algorithm, at: 1)
        writer.data(bytes, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(algorithm: .md5, bytes: [])
        while let field = try reader.nextField() {
            switch field {
            case 1: algorithm = try reader.choice()
            case 2: bytes = try reader.data()
            default: try reader.skip()
            }
        }
    }
}
