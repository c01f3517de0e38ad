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

    /// Whoever says "all" means those to which it applies.
    mutating func note(refused id: TransferID, _ failure: TransferFailure) {
        if areNamed { answer.refusals.append(.init(id: id, failure: failure)) }
    }
}

/// Control commands. One that means many transfers takes several turns, so that neither memory nor the session's other
/// work suffers from their number; each turn's share is committed with it, and the answer comes after the last one.
extension SessionLoop {
    /// How many transfers a turn takes.
    private static let share = 1_000

    func control(
        _ verb: ControlVerb, _ selection: TransferSelection, _ reply: @escaping @Sendable (SessionReply) -> Void
    ) throws(TransferFailure) {
        let (ids, areNamed) =
            switch selection {
            case .ids(let ids): (ids, true)
            case .all, .group: (try store.ids(selection, ended: verb.appliesToEnded), false)
            }
        var run = ControlRun(verb: verb, ids: ids[...], areNamed: areNamed, reply: reply)
        if ids.count > Self.share { batch.runs.append(run) } else { try advance(&run) }
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
            return run.note(refused: id, TransferFailure.unknown(id))
        }
        // Whoever says "retry" wants to have them asked for again.
        if run.verb == .retry { session.credentials.reconsider(for: before.machine) }
        if let refusal = try feed(id, .command(run.verb)) {
            run.note(refused: id, refusal)
        } else if let after = try transfer(id) {
            if run.verb == .retry, let entry = turns.defyHold(after) { batch.defiant.append(entry) }
            if after.record != before.record { run.answer.changed += 1 }
        } else {
            run.answer.changed += 1
        }
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
