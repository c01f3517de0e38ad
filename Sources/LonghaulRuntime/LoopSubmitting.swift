import LonghaulCore
import LonghaulStore

/// How transfers come into the session: many in one command, inside the turn's transaction.
extension SessionLoop {
    func submit(_ specs: [TransferSpec]) throws(TransferFailure) -> [SubmissionAnswer] {
        var answers: [SubmissionAnswer] = []
        answers.reserveCapacity(specs.count)
        var arrivals: [StoredTransfer] = []
        arrivals.reserveCapacity(specs.count)
        for asked in specs {
            let arrival: StoredTransfer
            var spec = asked
            spec.options.joinsEqualBefore = nil
            do throws(TransferFailure) {
                arrival = try accept(spec)
            } catch {
                answers.append(try store.acceptedBefore(spec) ?? .refused(error))
                continue
            }
            if let date = asked.options.joinsEqualBefore, let twin = try equalTransfer(to: spec, before: date) {
                answers.append(.existing(twin))
                continue
            }
            if let key = arrival.record.spec.options.key {
                // Whoever has the key may be among those that came just before.
                try insert(&arrivals)
                answers.append(try submit(arrival, key))
            } else {
                arrivals.append(arrival)
                answers.append(.accepted(arrival.record.id))
            }
        }
        try insert(&arrivals)
        return answers
    }

    private func accept(_ spec: TransferSpec) throws(TransferFailure) -> StoredTransfer {
        let id = TransferID(now: now, random: (environment.random(), environment.random()))
        let chained = try spec.following { id throws(TransferFailure) in try transfer(id)?.record }
        let (record, host) = try TransferRecord.accept(chained, id: id, at: now)
        if let source = spec.sources.first(where: { $0.isStaged && !directory.isStaged($0.path) }) {
            throw TransferFailure(
                .invalidArgument, "\(source.path) is not in the session's directory for staged bodies.")
        }
        return StoredTransfer(record: record, host: host)
    }

    private func submit(_ arrival: StoredTransfer, _ key: String) throws(TransferFailure) -> SubmissionAnswer {
        if let holder = try store.record(key: key) {
            switch arrival.record.spec.options.keyConflict {
            // It will be gone in a moment: who submits now wants a transfer that stays.
            case .keep where holder.facts.cleanup.contains(.record):
                try beginWriting()
                try store.releaseKey(of: holder.id)
            case .keep: return .existing(holder.id)
            case .replace where arrival.record.spec.options.predecessor == holder.id:
                return .refused(TransferFailure(.keyTaken, "A transfer cannot follow the one whose key it takes."))
            case .replace:
                if !holder.state.isEnded { try feed(holder.id, .command(.cancel)) }
                try beginWriting()
                try store.releaseKey(of: holder.id)
            case .append: break
            }
        }
        var arrivals = [arrival]
        try insert(&arrivals)
        return .accepted(arrival.record.id)
    }

    /// Adds new transfers, and leaves none.
    private func insert(_ arrivals: inout [StoredTransfer]) throws(TransferFailure) {
        guard !arrivals.isEmpty else { return }
        try beginWriting()
        try store.insert(&arrivals)
        for arrival in arrivals {
            batch.inserted.insert(arrival.record.id)
            settle(arrival)
            try follow(nil, arrival.record)
        }
        arrivals = []
    }

    /// `settle(_:from:to:)` for a new transfer; nearly all that one does cannot concern one that waits for its turn.
    private func settle(_ arrival: StoredTransfer) {
        let record = arrival.record
        guard watchers.isEmpty, case .waiting(let waiting) = record.state, waiting.reason == .turn else {
            return settle(record.id, from: nil, to: LiveTransfer(record, host: arrival.host))
        }
        turns.add(arrival)
    }
}

extension Store {
    /// What cannot be accepted any more because of what it follows may be there since its first submission.
    fileprivate func acceptedBefore(_ spec: TransferSpec) throws(TransferFailure) -> SubmissionAnswer? {
        guard spec.options.predecessor != nil, spec.options.keyConflict == .keep, let key = spec.options.key,
            let holder = try record(key: key), !holder.facts.cleanup.contains(.record)
        else { return nil }
        return .existing(holder.id)
    }
}
