import LonghaulCore
import LonghaulIPC

/// Finds transfers by ID, key, name, or number.
enum IDLookup {
    /// Returns the transfers that the texts name.
    ///
    /// - Parameter states: If several transfers have a name, those in these states come first.
    /// - Parameter choosesNewest: Whether the newest of several transfers with a name is chosen. Otherwise such a name is
    ///   refused: a command that changes transfers must not guess.
    static func find(
        _ texts: [String], among states: [String], choosesNewest: Bool = false, in session: SessionID,
        over service: any TransferService
    ) async throws(TransferFailure) -> [TransferID] {
        var ids: [TransferID] = []
        for search in try await searches(for: texts, states, choosesNewest, in: session, over: service) {
            do throws(TransferFailure) {
                ids.append(try search.result(in: session))
            } catch {
                throw await elsewhere(search.text, states, than: session, service) ?? error
            }
        }
        var known: Set<TransferID> = []
        return ids.filter { known.insert($0).inserted }
    }

    private static func searches(
        for texts: [String], _ states: [String], _ choosesNewest: Bool = true, in session: SessionID,
        over service: any TransferService
    ) async throws(TransferFailure) -> [Search] {
        var searches = texts.map { Search($0, states, choosesNewest) }
        if searches.contains(where: { $0.pattern?.whole == nil }) {
            try await ListPages.forEach(ListQuery(), in: session, over: service) { transfer in
                for index in searches.indices { searches[index].compare(at: transfer) }
            }
        }
        return searches
    }

    /// Returns the failure that names the other session that has the transfer, if one has it.
    private static func elsewhere(
        _ text: String, _ states: [String], than session: SessionID, _ service: any TransferService
    ) async -> TransferFailure? {
        guard IDPattern(text) != nil, let all = try? await service.status().sessions.map(\.id) else { return nil }
        for other in all where other != session {
            guard let search = try? await searches(for: [text], states, in: other, over: service).first,
                (try? search.result(in: other)) != nil
            else { continue }
            return TransferFailure(
                .unknownTransfer,
                tr("\"\(text)\" is a transfer of the session \(other). Add --session \(other)."))
        }
        return nil
    }

    /// Describes one of several candidates.
    private static func text(_ transfer: TransferSnapshot, isShort: Bool) -> String {
        let id = isShort ? ShortID.text(transfer.id) : transfer.id.description
        return "\(id) (\(DisplayText.cut(DisplayText.clean(transfer.name), 40)), \(StateText.shown(transfer.state)))"
    }

    /// One text, and the transfers that it may name.
    private struct Search {
        let text: String
        let pattern: IDPattern?
        private let states: [String]
        private let choosesNewest: Bool
        private var byIdentifier: [TransferSnapshot] = []
        private var byKey: TransferID?
        private var byName: [TransferSnapshot] = []
        private let number: Int64?
        private var byNumber: TransferSnapshot?

        init(_ text: String, _ states: [String], _ choosesNewest: Bool) {
            self.text = text
            self.states = states
            self.choosesNewest = choosesNewest
            pattern = IDPattern(text)
            number = Int64(text).flatMap { String($0) == text ? $0 : nil }
        }

        mutating func compare(at transfer: TransferSnapshot) {
            // The empty text of an unset variable in a script names no transfer.
            guard pattern?.whole == nil, !text.isEmpty else { return }
            if pattern?.matches(transfer.id) == true {
                byIdentifier.append(transfer)
            }
            if transfer.key == text { byKey = transfer.id }
            if transfer.sequence == number { byNumber = transfer }
            if transfer.name == text { byName.append(transfer) }
        }

        /// A key belongs to one transfer, so it wins over a part of an ID.
        func result(in session: SessionID) throws(TransferFailure) -> TransferID {
            if let whole = pattern?.whole ?? byKey { return whole }
            var candidates = byIdentifier
            if byIdentifier.isEmpty {
                candidates = Namesakes.meant(of: byName, among: states, choosesNewest: choosesNewest)
            }
            if let byNumber, !candidates.contains(where: { $0.id == byNumber.id }) { candidates.append(byNumber) }
            guard let first = candidates.first else {
                throw TransferFailure(
                    .unknownTransfer,
                    tr(
                        "There is no transfer with the ID, key, name, or number \"\(text)\". See \(session.hint("list")) --all."
                    ))
            }
            guard candidates.count > 1 else { return first.id }
            let isShort = Set(candidates.map { ShortID.text($0.id) }).count == candidates.count
            let shown = candidates.prefix(5).map { IDLookup.text($0, isShort: isShort) }.joined(separator: ", ")
            guard candidates.count > 5 else {
                throw .usage("\"\(text)\" could be \(shown). Give the ID.")
            }
            throw .usage("\"\(text)\" could be \(shown), and \(candidates.count - 5) more. Give the ID.")
        }
    }
}

/// The ended transfers of a list, each kind in order of submission.
struct EndedTransfers: Equatable, Sendable {
    /// Listed until they are removed or retried.
    var failed: [TransferSnapshot] = []
    var others: [TransferSnapshot] = []
    /// The number of transfers that ended earlier.
    var omitted = 0

    /// All of them, in order of submission.
    var all: [TransferSnapshot] { (failed + others).sorted { $0.sequence < $1.sequence } }
}

extension TransferState {
    var isFailed: Bool { if case .failed = self { true } else { false } }
}

/// All pages of a list, in order. The service reads the next page while the caller processes the last one.
enum ListPages {
    /// Returns the totals of the session according to the last page.
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

    /// Returns the failed transfers, and the newest others that ended.
    ///
    /// - Parameter since: Transfers that ended earlier are only counted, unless they failed.
    static func ended(
        _ limit: Int, since: WallTime? = nil, of selection: TransferSelection = .all, _ totals: SessionTotals,
        in session: SessionID, over service: any TransferService
    ) async throws(TransferFailure) -> EndedTransfers {
        let count = totals.succeeded + totals.failed + totals.cancelled
        // Sequence numbers increase by one or more, so the n-th transfer that ended has the number n or more. A failed
        // transfer may be the first one.
        let skipped = selection == .all && totals.failed == 0 ? max(0, count - limit) : 0
        let query = ListQuery(selection: selection, ended: true, afterSequence: Int64(skipped))
        var ended = EndedTransfers()
        var seen = 0
        try await forEach(query, in: session, over: service) { transfer in
            seen += 1
            if transfer.state.isFailed { return ended.failed.append(transfer) }
            if let since, transfer.endedAt ?? transfer.createdAt < since { return }
            ended.others.append(transfer)
            if ended.others.count >= 2 * limit { ended.others.removeFirst(limit) }
        }
        ended.others = ended.others.suffix(limit)
        let kept = ended.failed.count + ended.others.count
        ended.omitted = (selection == .all ? max(count, kept) : seen) - kept
        return ended
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
