import LonghaulCore
import LonghaulIPC

/// Finds the transfers that are meant by what was typed.
enum IDLookup {
    /// Of several transfers with one name that is meant which is in one of these states.
    static func find(
        _ texts: [String], among states: [String], in session: SessionID, over service: any TransferService
    ) async throws(TransferFailure) -> [TransferID] {
        var ids: [TransferID] = []
        for search in try await searches(for: texts, states, in: session, over: service) {
            do throws(TransferFailure) {
                ids.append(try search.result(in: session))
            } catch {
                throw await elsewhere(search.text, states, than: session, service) ?? error
            }
        }
        // One that was named twice is meant once.
        var known: Set<TransferID> = []
        return ids.filter { known.insert($0).inserted }
    }

    private static func searches(
        for texts: [String], _ states: [String], in session: SessionID, over service: any TransferService
    ) async throws(TransferFailure) -> [Search] {
        var searches = texts.map { Search($0, states) }
        if searches.contains(where: { $0.pattern?.whole == nil }) {
            try await ListPages.forEach(ListQuery(), in: session, over: service) { transfer in
                for index in searches.indices { searches[index].look(at: transfer) }
            }
        }
        return searches
    }

    /// Where it is, if one other session has it: hints name transfers without their session.
    private static func elsewhere(
        _ text: String, _ states: [String], than session: SessionID, _ service: any TransferService
    ) async -> TransferFailure? {
        guard IDPattern(text) != nil, let all = try? await service.status().sessions.map(\.id) else { return nil }
        for other in all where other != session {
            guard let search = try? await searches(for: [text], states, in: other, over: service).first,
                (try? search.result(in: other)) != nil
            else { continue }
            return TransferFailure(
                .unknownTransfer, "\"\(text)\" is a transfer of the session \(other): add --session \(other)")
        }
        return nil
    }

    /// What tells it from the others.
    private static func text(_ transfer: TransferSnapshot, isShort: Bool) -> String {
        let id = isShort ? ShortID.text(transfer.id) : transfer.id.description
        return "\(id) (\(DisplayText.cut(DisplayText.clean(transfer.name), 40)), \(StateText.word(transfer.state)))"
    }

    /// One word, and the transfers that it may mean: by identifier, by key, by name, or by the number that lists show.
    private struct Search {
        let text: String
        let pattern: IDPattern?
        private let states: [String]
        private var byIdentifier: [TransferSnapshot] = []
        private var byKey: TransferID?
        private var byName: [TransferSnapshot] = []
        private let number: Int64?
        private var byNumber: TransferSnapshot?

        init(_ text: String, _ states: [String]) {
            self.text = text
            self.states = states
            pattern = IDPattern(text)
            number = Int64(text).flatMap { String($0) == text ? $0 : nil }
        }

        mutating func look(at transfer: TransferSnapshot) {
            // A script whose variable is not set did not mean what has no name.
            guard pattern?.whole == nil, !text.isEmpty else { return }
            if pattern?.matches(transfer.id) == true {
                byIdentifier.append(transfer)
            }
            if transfer.key == text { byKey = transfer.id }
            if transfer.sequence == number { byNumber = transfer }
            if transfer.name == text { byName.append(transfer) }
        }

        /// A key is one transfer's own, and so goes before a part of an identifier that looks like it.
        func result(in session: SessionID) throws(TransferFailure) -> TransferID {
            if let whole = pattern?.whole ?? byKey { return whole }
            var candidates = byIdentifier.isEmpty ? Namesakes.meant(of: byName, among: states) : byIdentifier
            if let byNumber, !candidates.contains(where: { $0.id == byNumber.id }) { candidates.append(byNumber) }
            guard let first = candidates.first else {
                throw TransferFailure(
                    .unknownTransfer,
                    "there is no transfer with the ID, key, name or number \"\(text)\"; see \(session.hint("list")) --all"
                )
            }
            guard candidates.count > 1 else { return first.id }
            let isShort = Set(candidates.map { ShortID.text($0.id) }).count == candidates.count
            let shown = candidates.prefix(5).map { IDLookup.text($0, isShort: isShort) }.joined(separator: ", ")
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
