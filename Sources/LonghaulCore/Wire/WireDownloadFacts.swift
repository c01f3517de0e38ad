extension DownloadFacts: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(validators, at: 1)
        writer.text(effectiveURL, at: 2)
        writer.text(suggestedName, at: 3)
        writer.text(contentEncoding, at: 4)
        writer.messages(offeredDigests, at: 5)
        writer.signed(syncedLength, at: 6)
        writer.text(finalPath, at: 7)
        writer.text(bootID, at: 8)
        writer.integer(digestMismatches, at: 9)
        writer.message(segments, at: 10)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: validators = try reader.message()
            case 2: effectiveURL = try reader.text()
            case 3: suggestedName = try reader.text()
            case 4: contentEncoding = try reader.text()
            case 5: offeredDigests.append(try reader.message())
            case 6: syncedLength = try reader.length()
            case 7: finalPath = try reader.text()
            case 8: bootID = try reader.text()
            case 9: digestMismatches = try reader.count()
            case 10: segments = try reader.message()
            default: try reader.skip()
            }
        }
    }
}

extension Validators: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(entityTag, at: 1)
        writer.text(lastModified, at: 2)
        writer.flag(isSoft, at: 3)
        writer.signed(total, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(entityTag: nil, lastModified: nil, isSoft: false, total: nil)
        while let field = try reader.nextField() {
            switch field {
            case 1: entityTag = try reader.text()
            case 2: lastModified = try reader.text()
            case 3: isSoft = try reader.flag()
            case 4: total = try reader.length()
            default: try reader.skip()
            }
        }
    }
}
