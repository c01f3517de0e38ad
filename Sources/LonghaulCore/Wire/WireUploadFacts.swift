extension UploadFacts: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(uploadURL, at: 1)
        writer.signed(acknowledged, at: 2)
        writer.signed(sentHighWater, at: 3)
        writer.integer(stalls, at: 4)
        writer.time(expires, at: 5)
        writer.message(tus, at: 6)
        writer.flag(allBytesSent, at: 7)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: uploadURL = try reader.text()
            case 2: acknowledged = try reader.length()
            case 3: sentHighWater = try reader.length()
            case 4: stalls = try reader.count()
            case 5: expires = try reader.time()
            case 6: tus = try reader.message()
            case 7: allBytesSent = try reader.flag()
            default: try reader.skip()
            }
        }
    }
}

extension TusCapabilities: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.texts(extensions.sorted(), at: 1)
        writer.signed(maxSize, at: 2)
        writer.text(creationURL, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(extensions: [], maxSize: nil, creationURL: "")
        while let field = try reader.nextField() {
            switch field {
            case 1: extensions.insert(try reader.text())
            case 2: maxSize = try reader.length()
            case 3: creationURL = try reader.text()
            default: try reader.skip()
            }
        }
    }
}
