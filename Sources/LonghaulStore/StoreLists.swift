package import LonghaulCore

/// Records in order of submission, and whether more follow after the last one.
package struct RecordPage: Equatable, Sendable {
    package var records: [TransferRecord]
    package var hasMore: Bool
}

extension Store {
    /// Returns the records that match a query.
    package func page(_ query: ListQuery) throws(TransferFailure) -> RecordPage {
        let limit = max(0, min(query.limit, Int(Int32.max)))
        if case .ids(let ids) = query.selection { return try page(of: ids, query, limit: limit) }
        let condition = Self.condition(query.selection, query.ended) + (query.key == nil ? "" : " and t.key = ?4")
        let rows = try connection.statement(
            "\(Self.selectRecord) where t.sequence > ?1 and \(condition) order by t.sequence limit ?2")
        defer { rows.reset() }
        try rows.bind(query.afterSequence, at: 1)
        try rows.bind(Int64(limit) + 1, at: 2)
        try bindGroup(of: query.selection, to: rows, at: 3)
        if let key = query.key { try rows.bind(key, at: 4) }
        var page = RecordPage(records: [], hasMore: false)
        page.records.reserveCapacity(min(limit, 1_000))
        while try rows.step() {
            guard page.records.count < limit else {
                page.hasMore = true
                break
            }
            page.records.append(try record(from: rows))
        }
        return page
    }

    /// Returns the transfers of a selection, in order of submission; `ended` as in `ListQuery`.
    package func ids(_ selection: TransferSelection, ended: Bool?) throws(TransferFailure) -> [TransferID] {
        if case .ids(let ids) = selection { return try places(of: ids, ended: ended).map(\.id) }
        let rows = try connection.statement(
            "select t.id from transfer t where \(Self.condition(selection, ended)) order by t.sequence")
        defer { rows.reset() }
        try bindGroup(of: selection, to: rows, at: 3)
        var ids: [TransferID] = []
        while try rows.step() { ids.append(try rows.id(0)) }
        return ids
    }

    /// Returns the transfers that wait for this reason, in order of submission.
    package func ids(waitingFor reason: Waiting.Reason) throws(TransferFailure) -> [TransferID] {
        let rows = try connection.statement(
            "select id from transfer where isEnded = 0 and stateCode = ?1 order by sequence")
        defer { rows.reset() }
        try rows.bind(StateCode(.waiting(Waiting(reason, since: WallTime(microseconds: 0)))).number, at: 1)
        var ids: [TransferID] = []
        while try rows.step() { ids.append(try rows.id(0)) }
        return ids
    }

    private func page(of ids: [TransferID], _ query: ListQuery, limit: Int) throws(TransferFailure) -> RecordPage {
        let places = try places(of: ids, ended: query.ended).filter { $0.sequence > query.afterSequence }
        var page = RecordPage(records: [], hasMore: places.count > limit)
        for place in places.prefix(limit) {
            guard let record = try record(place.id) else { continue }
            if query.key == nil || query.key == record.spec.options.key { page.records.append(record) }
        }
        return page
    }

    /// Returns the identifiers that exist in the store, each once, in order of submission.
    private func places(
        of ids: [TransferID], ended: Bool?
    ) throws(TransferFailure) -> [(id: TransferID, sequence: Int64)] {
        let rows = try connection.statement("select sequence, isEnded from transfer where id = ?1")
        defer { rows.reset() }
        var places: [(id: TransferID, sequence: Int64)] = []
        for id in Set(ids) {
            rows.reset()
            try rows.bind(id, at: 1)
            guard try rows.step(), ended == nil || ended == (rows.number(1) == 1) else { continue }
            places.append((id, rows.number(0)))
        }
        return places.sorted { $0.sequence < $1.sequence }
    }

    /// Each condition is written so that one index serves it in order.
    private static func condition(_ selection: TransferSelection, _ ended: Bool?) -> String {
        let state =
            switch ended {
            case true?: "t.isEnded = 1"
            case false?: "t.isEnded = 0"
            case nil: "true"
            }
        return switch selection {
        case .group(""): "t.\"group\" = '' and \(state)"
        case .group: "t.\"group\" = ?3 and t.\"group\" <> '' and +\(state)"
        case .all, .ids: state
        }
    }

    private func bindGroup(
        of selection: TransferSelection, to statement: Statement, at index: Int32
    ) throws(TransferFailure) {
        if case .group(let group) = selection, !group.isEmpty { try statement.bind(group, at: index) }
    }
}
