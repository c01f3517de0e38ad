import LonghaulCore
import LonghaulStore

/// A control command on its way through the transfers it means.
struct ControlRun {
    var verb: ControlVerb
    /// Those still to come.
    var ids: ArraySlice<TransferID>
    /// Whether they were named one by one: only then a refusal is worth telling.
    var areNamed: Bool
    var answer = ControlAnswer(changed: 0)
    var reply: @Sendable (SessionReply) -> Void
}

/// Control commands. One that means many transfers takes several turns, so that neither memory nor the session's other
/// work suffers from their number; each turn's share is committed with it, and the answer comes after the last one.
extension SessionLoop {
    /// How many transfers a turn takes.
    private static let share = 1_000

    func control(
        _ verb: ControlVerb, _ selection: TransferSelection, _ reply: @escaping @Sendable (SessionReply) -> Void
    ) throws(TransferFailure) {
        switch selection {
        case .ids(let ids):
            var run = ControlRun(verb: verb, ids: ids[...], areNamed: true, reply: reply)
            if ids.count > Self.share { return batch.runs.append(run) }
            try advance(&run)
        case .all, .group:
            let ids = try store.ids(selection, ended: verb.appliesToEnded)
            var run = ControlRun(verb: verb, ids: ids[...], areNamed: false, reply: reply)
            if ids.count > Self.share { return batch.runs.append(run) }
            try advance(&run)
        }
    }

    /// A share of the oldest command that takes several turns.
    func advanceRuns() throws(TransferFailure) {
        guard var run = batch.runs.first else { return }
        try advance(&run)
        if run.ids.isEmpty { batch.runs.removeFirst() } else { batch.runs[0] = run }
    }

    /// Whoever waits for a command that is given up.
    func refuseRuns(_ failure: TransferFailure) {
        let refused = runs
        runs = []
        for run in refused { run.reply(.failed(failure)) }
    }

    private func advance(_ run: inout ControlRun) throws(TransferFailure) {
        let share = run.ids.prefix(Self.share)
        for id in share { try control(id, &run) }
        run.ids = run.ids.dropFirst(share.count)
        guard run.ids.isEmpty else { return }
        answer { [run] in run.reply(.controlled(run.answer)) }
    }

    private func control(_ id: TransferID, _ run: inout ControlRun) throws(TransferFailure) {
        guard let before = try transfer(id) else {
            if run.areNamed { run.answer.refusals.append(.init(id: id, failure: TransferFailure.unknown(id))) }
            return
        }
        if run.verb == .retry { reconsiderCredentials(of: before) }
        let doubt = before.doubt(about: run.verb, engine)
        let refusal = if let doubt { doubt } else { try feed(id, .command(run.verb)) }
        if let refusal {
            // Whoever says "all" means those to which it applies.
            if run.areNamed { run.answer.refusals.append(.init(id: id, failure: refusal)) }
        } else if let after = try transfer(id) {
            if run.verb == .retry { defyHold(after) }
            if after.record != before.record { run.answer.changed += 1 }
        } else {
            run.answer.changed += 1
        }
    }
}

extension SessionLoop {
    /// Whoever says "retry" wants to have it asked for again.
    private func reconsiderCredentials(of transfer: LiveTransfer) {
        guard transfer.record.spec.options.credential != nil else { return }
        for scope in transfer.machine.credentialScopes { session.credentials.reconsider(scope) }
    }
}

extension ControlVerb {
    /// Which transfers "all" can mean, as in `ListQuery.ended`: the others are not even looked at.
    fileprivate var appliesToEnded: Bool? {
        switch self {
        case .pause, .resume, .cancel: false
        case .remove: true
        case .retry: nil
        }
    }
}

extension LiveTransfer {
    /// A pause after which nobody can tell what came of the request would be its end.
    fileprivate func doubt(about verb: ControlVerb, _ engine: (any Engine)?) -> TransferFailure? {
        guard verb == .pause, case .running = record.state, let ticket,
            engine?.progress(of: ticket)?.stopLeavesDoubt ?? false
        else { return nil }
        return TransferFailure(
            .invalidState, "The system carries it and may have sent all of it already: it cannot be paused now.")
    }
}
