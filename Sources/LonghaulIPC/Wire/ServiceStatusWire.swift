package import LonghaulCore

extension SessionSummary: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(id, at: 1)
        writer.message(trouble, at: 2)
        writer.message(totals, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var id: SessionID?
        var trouble: TransferFailure?
        var totals = SessionTotals()
        while let field = try reader.nextField() {
            switch field {
            case 1: id = try reader.message()
            case 2: trouble = try reader.message()
            case 3: totals = try reader.message()
            default: try reader.skip()
            }
        }
        guard let id else { throw .missingValue }
        self.init(id: id, trouble: trouble, totals: totals)
    }
}

extension ServiceStatus: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(version, at: 1)
        writer.integer(processID, at: 2)
        writer.time(startedAt, at: 3)
        writer.flag(isSocketActivated, at: 4)
        writer.integer(clients, at: 5)
        writer.signed(residentBytes, at: 6)
        writer.text(stateDirectory, at: 7)
        writer.messages(sessions, at: 8)
        writer.text(libcurl, at: 9)
        writer.flag(directPaths.receives, at: 10)
        writer.flag(directPaths.sends, at: 11)
        writer.flag(hasHTTP3, at: 12)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(
            version: "", processID: 0, startedAt: WallTime(microseconds: 0), isSocketActivated: false, clients: 0,
            residentBytes: 0, stateDirectory: "", sessions: [], libcurl: "", directPaths: .none,
            hasHTTP3: false)
        while let field = try reader.nextField() {
            switch field {
            case 1: version = try reader.text()
            case 2: processID = try reader.integer()
            case 3: startedAt = try reader.time()
            case 4: isSocketActivated = try reader.flag()
            case 5: clients = try reader.integer()
            case 6: residentBytes = try reader.signed()
            case 7: stateDirectory = try reader.text()
            case 8: sessions.append(try reader.message())
            case 9: libcurl = try reader.text()
            case 10: directPaths.receives = try reader.flag()
            case 11: directPaths.sends = try reader.flag()
            case 12: hasHTTP3 = try reader.flag()
            default: try reader.skip()
            }
        }
    }
}
