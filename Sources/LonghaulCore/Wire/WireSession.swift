extension ListPage: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.messages(transfers, at: 1)
        writer.flag(hasMore, at: 2)
        writer.message(totals, at: 3)
        writer.signed(rate, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(transfers: [], hasMore: false, totals: SessionTotals())
        while let field = try reader.nextField() {
            switch field {
            case 1: transfers.append(try reader.message())
            case 2: hasMore = try reader.flag()
            case 3: totals = try reader.message()
            case 4: rate = try reader.signed()
            default: try reader.skip()
            }
        }
    }
}

extension SessionTotals: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.integer(waiting, at: 1)
        writer.integer(running, at: 2)
        writer.integer(paused, at: 3)
        writer.integer(succeeded, at: 4)
        writer.integer(failed, at: 5)
        writer.integer(cancelled, at: 6)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: waiting = try reader.integer()
            case 2: running = try reader.integer()
            case 3: paused = try reader.integer()
            case 4: succeeded = try reader.integer()
            case 5: failed = try reader.integer()
            case 6: cancelled = try reader.integer()
            default: try reader.skip()
            }
        }
    }
}

extension SessionLimits: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.integer(total, at: 1)
        writer.integer(perHost, at: 2)
        for (group, limit) in perGroup.sorted(by: { $0.key < $1.key }) {
            writer.message(GroupLimit(group: group, limit: limit), at: 3)
        }
        writer.integer(chosenStreams, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(total: 0, perHost: 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: total = try reader.integer()
            case 2: perHost = try reader.integer()
            case 3:
                let entry: GroupLimit = try reader.message()
                perGroup[entry.group] = entry.limit
            case 4: chosenStreams = try reader.integer()
            default: try reader.skip()
            }
        }
    }
}

/// One entry of `SessionLimits.perGroup`, in the form of a `map` entry: both fields are always written.
struct GroupLimit: WireMessage {
    var group: String
    var limit: Int

    init(group: String, limit: Int) {
        self.group = group
        self.limit = limit
    }

    func encode(into writer: inout WireWriter) {
        writer.text(Optional(group), at: 1)
        writer.integer(Optional(limit), at: 2)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(group: "", limit: 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: group = try reader.text()
            case 2: limit = try reader.integer()
            default: try reader.skip()
            }
        }
    }
}

extension WatchUpdate: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.messages(changed, at: 1)
        writer.messages(removed, at: 2)
        writer.flag(completesList, at: 3)
        writer.flag(beginsList, at: 4)
        writer.messages(succeeded, at: 90)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(changed: [], removed: [])
        while let field = try reader.nextField() {
            switch field {
            case 1: changed.append(try reader.message())
            case 2: removed.append(try reader.message())
            case 3: completesList = try reader.flag()
            case 4: beginsList = try reader.flag()
            case 90: succeeded.append(try reader.message())
            default: try reader.skip()
            }
        }
    }
}

extension WatchUpdate.Success: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(id, at: 1)
        writer.text(path, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var id: TransferID?
        var path: String?
        while let field = try reader.nextField() {
            switch field {
            case 1: id = try reader.message()
            case 2: path = try reader.text()
            default: try reader.skip()
            }
        }
        guard let id else { throw .missingValue }
        self.init(id: id, path: path)
    }
}
