import LonghaulCore

/// Finds the transfers that are meant by what was typed.
enum IDLookup {
    static func find(
        _ texts: [String], in session: SessionID, over service: any TransferService
    ) async throws(TransferFailure) -> [TransferID] {
        var searches = texts.map(Search.init)
        if searches.contains(where: { $0.pattern?.whole == nil }) {
            try await ListPages.forEach(ListQuery(), in: session, over: service) { transfer in
                for index in searches.indices { searches[index].look(at: transfer) }
            }
        }
        var ids: [TransferID] = []
        for search in searches { ids.append(try search.result()) }
        return ids
    }

    private struct Candidate {
        var id: TransferID
        var name: String
        var hasEnded: Bool

        init(_ transfer: TransferSnapshot) {
            id = transfer.id
            name = transfer.name
            hasEnded = transfer.state.isEnded
        }

        /// What tells it from the others.
        func text(isShort: Bool) -> String {
            "\(isShort ? ShortID.text(id) : id.description) (\(DisplayText.cut(DisplayText.clean(name), 40)))"
        }
    }

    /// One word, and the transfers that it may mean: by identifier, by key, by name, or by the number that lists show.
    private struct Search {
        let text: String
        let pattern: IDPattern?
        private var byIdentifier: [Candidate] = []
        private var byKey: TransferID?
        private var byName: [Candidate] = []
        private let number: Int64?
        private var byNumber: Candidate?

        init(_ text: String) {
            self.text = text
            pattern = IDPattern(text)
            number = Int64(text).flatMap { String($0) == text ? $0 : nil }
        }

        mutating func look(at transfer: TransferSnapshot) {
            // A script whose variable is not set did not mean what has no name.
            guard pattern?.whole == nil, !text.isEmpty else { return }
            if pattern?.matches(transfer.id) == true {
                byIdentifier.append(Candidate(transfer))
            }
            if transfer.key == text { byKey = transfer.id }
            if transfer.sequence == number { byNumber = Candidate(transfer) }
            if transfer.name == text { byName.append(Candidate(transfer)) }
        }

        /// A key is one transfer's own, and so goes before a part of an identifier that looks like it.
        func result() throws(TransferFailure) -> TransferID {
            if let whole = pattern?.whole ?? byKey { return whole }
            // Earlier downloads of the same file are not what is meant while one of them is under way.
            let live = byName.filter { !$0.hasEnded }
            var candidates = byIdentifier.isEmpty ? (live.count == 1 ? live : byName) : byIdentifier
            if let byNumber, !candidates.contains(where: { $0.id == byNumber.id }) { candidates.append(byNumber) }
            guard let first = candidates.first else {
                throw TransferFailure(
                    .unknownTransfer,
                    "there is no transfer with the ID, key, name or number \"\(text)\"; see longhaul list --all")
            }
            guard candidates.count > 1 else { return first.id }
            let isShort = Set(candidates.map { ShortID.text($0.id) }).count == candidates.count
            let shown = candidates.prefix(5).map { $0.text(isShort: isShort) }.joined(separator: ", ")
            let more = candidates.count > 5 ? " and \(candidates.count - 5) more" : ""
            throw .usage("\(text) could be \(shown)\(more); give the ID of the one that is meant")
        }
    }
}

/// All pages of a list, in order. The service reads the next page while the last one is worked on.
enum ListPages {
    /// Returns the totals of the session, as the last page told them.
    @discardableResult
    static func forEach(
        _ query: ListQuery, in session: SessionID, over service: any TransferService,
        _ body: (TransferSnapshot) throws(TransferFailure) -> Void
    ) async throws(TransferFailure) -> SessionTotals {
        var page = try await service.list(query, in: session)
        while page.hasMore, let last = page.transfers.last {
            var query = query
            query.afterSequence = last.sequence
            async let next = answer(to: query, session, service)
            for transfer in page.transfers { try body(transfer) }
            page = try await next.get()
        }
        for transfer in page.transfers { try body(transfer) }
        return page.totals
    }

    private static func answer(
        to query: ListQuery, _ session: SessionID, _ service: any TransferService
    ) async -> Result<ListPage, TransferFailure> {
        do throws(TransferFailure) {
            return .success(try await service.list(query, in: session))
        } catch {
            return .failure(error)
        }
    }
}
