import LonghaulCore

/// Finds the transfers that are meant by what was typed.
enum IDLookup {
    static func find(
        _ texts: [String], in session: SessionID, over service: any TransferService
    ) async throws(TransferFailure) -> [TransferID] {
        var patterns: [IDPattern] = []
        for text in texts { patterns.append(try IDPattern(text)) }
        var found = patterns.map { $0.whole.map { [$0] } ?? [] }
        if patterns.contains(where: { $0.whole == nil }) {
            try await ListPages.forEach(ListQuery(), in: session, over: service) { transfer in
                for (index, pattern) in patterns.enumerated() where pattern.whole == nil {
                    if pattern.matches(transfer.id) { found[index].append(transfer.id) }
                }
            }
        }
        var ids: [TransferID] = []
        for (pattern, candidates) in zip(patterns, found) { ids.append(try only(candidates, pattern)) }
        return ids
    }

    private static func only(_ candidates: [TransferID], _ pattern: IDPattern) throws(TransferFailure) -> TransferID {
        guard let first = candidates.first else {
            throw TransferFailure(.unknownTransfer, "there is no transfer \(pattern.text); see longhaul list --all")
        }
        guard candidates.count > 1 else { return first }
        let shown = candidates.prefix(5).map(\.description).joined(separator: ", ")
        let more = candidates.count > 5 ? " and \(candidates.count - 5) more" : ""
        throw .usage("\(pattern.text) could be \(shown)\(more); give more digits")
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
