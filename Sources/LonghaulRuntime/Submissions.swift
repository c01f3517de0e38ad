import LonghaulCore
import LonghaulStore

/// Adds transfers to the session: many in one command, inside the turn's transaction.
struct Submissions {
    let state: SessionState

    func submit(_ specs: [TransferSpec]) throws(TransferFailure) -> [SubmissionAnswer] {
        var answers: [SubmissionAnswer] = []
        answers.reserveCapacity(specs.count)
        var arrivals: [StoredTransfer] = []
        arrivals.reserveCapacity(specs.count)
        for asked in specs {
            let arrival: StoredTransfer
            var spec = asked
            // Only if set, because changing the options copies them.
            if spec.options.joinsEqualBefore != nil { spec.options.joinsEqualBefore = nil }
            if spec.options.restartsEndedBefore != nil { spec.options.restartsEndedBefore = nil }
            do throws(TransferFailure) {
                arrival = try accept(spec)
            } catch {
                answers.append(try acceptedBefore(spec) ?? .refused(error))
                continue
            }
            if let date = asked.options.joinsEqualBefore, let twin = try equalTransfer(to: spec, before: date) {
                try attend(to: twin, asking: spec)
                answers.append(.existing(twin))
                continue
            }
            if let key = arrival.record.spec.options.key {
                // The transfer with this key may be among the pending arrivals.
                try state.insert(&arrivals)
                answers.append(try submit(arrival, key, asked))
            } else {
                arrivals.append(arrival)
                answers.append(.accepted(arrival.record.id))
            }
        }
        try state.insert(&arrivals)
        return answers
    }

    private func accept(_ spec: TransferSpec) throws(TransferFailure) -> StoredTransfer {
        let random = state.environment.random
        let id = TransferID(now: state.now, random: (random(), random()))
        let chained = try spec.following { id throws(TransferFailure) in try state.transfer(id)?.record }
        let (record, host) = try TransferRecord.accept(chained, id: id, at: state.now)
        if let source = spec.sources.first(where: { $0.isStaged && !state.directory.isStaged($0.path) }) {
            throw TransferFailure(
                .invalidArgument, "\(source.path) must be in the session's directory for staged bodies.")
        }
        return StoredTransfer(record: record, host: host)
    }

    private func submit(
        _ arrival: StoredTransfer, _ key: String, _ asked: TransferSpec
    ) throws(TransferFailure) -> SubmissionAnswer {
        if let holder = try holder(of: key) {
            // Its predecessor may have ended by now.
            var spec = asked
            spec.options.predecessor = arrival.record.spec.options.predecessor
            switch KeyRule.decide(spec, holder: holder) {
            case .joins:
                try attend(to: holder.id, asking: arrival.record.spec)
                return .existing(holder.id)
            case .restarts:
                if try state.feed(holder.id, .command(.retry)) == nil {
                    try attend(to: holder.id, asking: arrival.record.spec)
                    return .existing(holder.id)
                }
                // Its last attempt is still being stopped.
                try takeKey(of: holder.id, after: .remove)
            case .refuses(let failure): return .refused(failure)
            case .takes(let verb): try takeKey(of: holder.id, after: verb)
            case .shares: break
            }
        }
        var arrivals = [arrival]
        try state.insert(&arrivals)
        return .accepted(arrival.record.id)
    }

    /// Makes a transfer attended that was submitted unattended.
    private func attend(to id: TransferID, asking spec: TransferSpec) throws(TransferFailure) {
        guard spec.options.isAttended, let record = try state.transfer(id)?.record, !record.state.isEnded,
            !record.spec.options.isAttended
        else { return }
        var adjustment = TransferAdjustment()
        adjustment.makesAttended = true
        try state.feed(id, .adjusted(adjustment))
    }

    /// Returns the transfer that has a key. An earlier submission in this turn may have restarted it.
    private func holder(of key: String) throws(TransferFailure) -> TransferRecord? {
        guard let stored = try state.store.record(key: key) else { return nil }
        return try state.transfer(stored.id)?.record ?? stored
    }

    private func takeKey(of id: TransferID, after verb: ControlVerb?) throws(TransferFailure) {
        if let verb { try state.feed(id, .command(verb)) }
        try state.beginWriting()
        try state.store.releaseKey(of: id)
    }

    private func acceptedBefore(_ spec: TransferSpec) throws(TransferFailure) -> SubmissionAnswer? {
        guard let key = spec.options.key, let holder = try state.store.record(key: key),
            KeyRule.wasAccepted(spec, holder: holder)
        else { return nil }
        return .existing(holder.id)
    }

    /// Returns an active transfer with an equal request, submitted before that time, after resuming it if it was held back.
    private func equalTransfer(to spec: TransferSpec, before date: WallTime) throws(TransferFailure) -> TransferID? {
        guard spec.options.key == nil else { return nil }
        try state.turns.equals.update(for: date, from: state.store)
        // Identifiers begin with the time. After the clock was set back, a few are missed.
        let end = TransferID(now: date, random: (0, 0))
        for id in state.turns.equals[spec] where id < end {
            guard let record = try state.transfer(id)?.record, !record.state.isEnded,
                record.spec.requestsSame(as: spec)
            else { continue }
            let adjustment = TransferAdjustment(joining: record, spec.options)
            if adjustment != TransferAdjustment() { try state.feed(id, .adjusted(adjustment)) }
            if let verb = record.state.verbForJoiner { try state.feed(id, .command(verb)) }
            return id
        }
        return nil
    }
}
