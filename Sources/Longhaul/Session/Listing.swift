import LonghaulCore

/// Finding transfers, and doing the same to many.
extension TransferSession {
    /// The session's transfers as they are now, in order of submission.
    public func list(matching query: TransferQuery = .all) async throws(TransferFailure) -> [TransferSnapshot] {
        var snapshots: [TransferSnapshot] = []
        var page = query.page
        var hasMore = true
        while hasMore {
            let answer = try await backend.list(page)
            snapshots += answer.transfers.filter(query.matches)
            page.afterSequence = answer.transfers.last?.sequence ?? 0
            hasMore = answer.hasMore && !answer.transfers.isEmpty
        }
        return snapshots
    }

    /// Handles for the session's transfers, in order of submission.
    public func transfers(matching query: TransferQuery = .all) async throws(TransferFailure) -> [Transfer] {
        try await list(matching: query).map(handle)
    }

    /// The transfer with this identifier, if the session has it.
    public func transfer(_ id: TransferID) async throws(TransferFailure) -> Transfer? {
        try await backend.list(ListQuery(selection: .ids([id]), limit: 1)).transfers.first.map(handle)
    }

    /// The transfer that has this key, if the session has one.
    public func transfer(key: String) async throws(TransferFailure) -> Transfer? {
        try await backend.list(ListQuery(key: key, limit: 1)).transfers.first.map(handle)
    }

    /// A handle for a transfer that is known from a list or a change. The session is not asked.
    public func handle(for snapshot: TransferSnapshot) -> Transfer {
        Transfer(id: snapshot.id, key: snapshot.key, backend: backend)
    }

    /// Pauses every live transfer, or those of one group. Returns how many it changed.
    @discardableResult
    public func pauseAll(group: String? = nil) async throws(TransferFailure) -> Int {
        try await backend.control(.pause, TransferSelection(group: group)).changed
    }

    /// Resumes every paused transfer, or those of one group. Returns how many it changed.
    @discardableResult
    public func resumeAll(group: String? = nil) async throws(TransferFailure) -> Int {
        try await backend.control(.resume, TransferSelection(group: group)).changed
    }

    /// Cancels every live transfer, or those of one group. Returns how many it changed.
    @discardableResult
    public func cancelAll(group: String? = nil) async throws(TransferFailure) -> Int {
        try await backend.control(.cancel, TransferSelection(group: group)).changed
    }

    /// Removes every ended transfer, or those of one group, with their results. Returns how many it removed.
    @discardableResult
    public func removeAll(group: String? = nil) async throws(TransferFailure) -> Int {
        try await backend.control(.remove, TransferSelection(group: group)).changed
    }

    /// The progress of a group: how many of its transfers are in each state, and how many bytes were moved.
    public func progress(of group: String) async throws(TransferFailure) -> GroupProgress {
        GroupProgress(of: try await list(matching: .group(group)))
    }
}

extension TransferSelection {
    fileprivate init(group: String?) {
        self = group.map { .group($0) } ?? .all
    }
}
