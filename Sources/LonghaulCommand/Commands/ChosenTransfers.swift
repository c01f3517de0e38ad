import LonghaulCore

extension Option {
    static let chosenGroup = Option("group", value: "NAME", "Select the transfers of group NAME")
    static let allTransfers = Option("all", "a", "Select all transfers of the session")
}

/// The common part of commands that change existing transfers: the selection and the report.
enum ChosenTransfers {
    /// Changes the transfers; `nil` if the user declines.
    typealias Change =
        @Sendable (any TransferService, TransferSelection, SessionID) async throws(TransferFailure) -> ControlAnswer?

    /// The effect of a command on a transfer.
    enum Done {
        case paused
        case resumed
        case cancelled
        case removed
        case retried
        case released
        case changed
    }

    enum Report {
        case count
        /// The state of each transfer, if IDs name a few: the command may have had another effect.
        case states
        case refusals
    }

    struct Outcome {
        var status: ExitStatus
        /// The transfers that were not refused, if IDs name them.
        var changed: [TransferID]
    }

    /// More transfers than these are only counted.
    private static let fewTransfers = 10

    static func change(
        _ ids: [String], _ name: String, among states: [String], done: Done, report: Report = .count,
        _ arguments: Arguments, _ world: World, _ change: Change
    ) async throws(TransferFailure) -> ExitStatus {
        try await outcome(ids, name, among: states, done: done, report: report, arguments, world, change).status
    }

    /// Changes the transfers that `ids` or options select, and reports it.
    ///
    /// - Parameter states: If several transfers have a name, those in these states come first.
    static func outcome(
        _ ids: [String], _ name: String, among states: [String], done: Done, report: Report = .count,
        _ arguments: Arguments, _ world: World, _ change: Change
    ) async throws(TransferFailure) -> Outcome {
        let session = try LocalCheck.session(arguments)
        let filter = try TransferFilter(arguments)
        try check(ids, name, filter, arguments)
        let service = try await world.connect(true)
        defer { service.close() }
        let selection = try await selection(ids, states, filter, arguments, session, service, world)
        if case .ids(let found) = selection, found.isEmpty {
            let answer = ControlAnswer(changed: 0)
            printResult(answer, done, session, arguments, world)
            return Outcome(status: .success, changed: [])
        }
        guard let answer = try await change(service, selection, session) else {
            return Outcome(status: .success, changed: [])
        }
        let isSaid = !arguments.has(.json) && !arguments.has(.quiet)
        // A named transfer that was neither changed nor refused was in that state already.
        let untouched = ids.isEmpty ? 0 : answer.untouched(of: selection)
        if report == .states || untouched > 0, isSaid, !ids.isEmpty, case .ids(let named) = selection,
            named.count <= fewTransfers
        {
            await reportStates(of: named, answer, done, service, session, world)
        } else if report == .refusals, isSaid, !ids.isEmpty {
            reportRefusals(answer, session, world)
        } else {
            printResult(answer, done, session, arguments, world)
        }
        var changed: [TransferID] = []
        if !ids.isEmpty, case .ids(let named) = selection {
            let refused = Set(answer.refusals.map(\.id))
            changed = named.filter { !refused.contains($0) }
        }
        let status = answer.refusals.reduce(ExitStatus.success) { $0.joined(with: ExitStatus($1.failure.code)) }
        return Outcome(status: status, changed: changed)
    }

    private static func check(
        _ ids: [String], _ name: String, _ filter: TransferFilter, _ arguments: Arguments
    ) throws(TransferFailure) {
        let (isGroup, isAll) = (arguments.has(.group), arguments.has(.allTransfers))
        let ways = [!ids.isEmpty, isGroup, isAll].count { $0 }
        guard ways == 1 || ways == 0 && !filter.isEmpty else {
            throw .misuse("\(name) needs IDs, --group, --all, or --state. Give only one of them.")
        }
        guard ids.isEmpty || filter.isEmpty else {
            throw .usage("--state and --older-than select transfers without IDs.")
        }
        // A script with an unset variable did not mean all transfers without a group.
        guard arguments.value(.group) != "" else { throw .usage("--group needs the name of a group.") }
    }

    private static func selection(
        _ ids: [String], _ states: [String], _ filter: TransferFilter, _ arguments: Arguments, _ session: SessionID,
        _ service: any TransferService, _ world: World
    ) async throws(TransferFailure) -> TransferSelection {
        guard ids.isEmpty else {
            return .ids(try await IDLookup.find(ids, among: states, in: session, over: service))
        }
        let selection = arguments.value(.group).map { TransferSelection.group($0) } ?? .all
        guard !filter.isEmpty else { return selection }
        let (endedStates, now) = (states.allSatisfy(StateText.endedWords.contains), world.now())
        var chosen: [TransferID] = []
        // `remove --older-than 7d` means ended transfers, as `remove --all` does.
        let ended = filter.ended ?? (endedStates ? true : nil)
        try await ListPages.forEach(ListQuery(selection: selection, ended: ended), in: session, over: service) {
            if filter.selects($0, at: now), filter.ended != nil || states.contains(StateText.word($0.state)) {
                chosen.append($0.id)
            }
        }
        return .ids(chosen)
    }

    /// Reports the state of each transfer, or why it was not changed.
    private static func reportStates(
        of ids: [TransferID], _ answer: ControlAnswer, _ done: Done, _ service: any TransferService,
        _ session: SessionID, _ world: World
    ) async {
        for id in ids {
            let short = ShortID.text(id)
            if let refusal = answer.refusals.first(where: { $0.id == id }) {
                world.console.say(ErrorLine.text(refusal.failure, subject: short, id: id, in: session))
                if refusal.failure.code != .invalidState { continue }
            }
            if let transfer = try? await service.show(id, in: session).snapshot {
                let phrase = StateText.phrase(transfer, in: session, now: world.now())
                world.console.say("\(short) \(DisplayText.clean(transfer.name)): \(phrase)")
            } else if !answer.refusals.contains(where: { $0.id == id }) {
                // The transfer or the service is gone by now; the change was made.
                world.console.say("\(short) \(done.word)")
            }
        }
    }

    private static func reportRefusals(_ answer: ControlAnswer, _ session: SessionID, _ world: World) {
        for refusal in answer.refusals {
            let short = ShortID.text(refusal.id)
            world.console.say(ErrorLine.text(refusal.failure, subject: short, id: refusal.id, in: session))
        }
    }

    private static func printResult(
        _ answer: ControlAnswer, _ done: Done, _ session: SessionID, _ arguments: Arguments, _ world: World
    ) {
        if arguments.has(.json) {
            var json = JSONWriter()
            json.object { json in
                json.member("changed", answer.changed)
                json.array("refusals") { json in
                    for refusal in answer.refusals {
                        json.object { json in
                            json.member("id", refusal.id.description)
                            json.failure("failure", refusal.failure)
                        }
                    }
                }
            }
            json.endLine()
            return world.console.writeOutput(json.bytes)
        }
        reportRefusals(answer, session, world)
        guard !arguments.has(.quiet) else { return }
        if answer.changed > 0 {
            world.console.say(done.count(answer.changed))
        } else if answer.refusals.isEmpty {
            world.console.say(done.none)
        }
    }
}

extension ChosenTransfers.Done {
    fileprivate var word: String {
        switch self {
        case .paused: tr("paused")
        case .resumed: tr("resumed")
        case .cancelled: tr("cancelled")
        case .removed: tr("removed")
        case .retried: tr("started again")
        case .released: tr("released")
        case .changed: tr("changed")
        }
    }

    fileprivate func count(_ count: Int) -> String {
        switch self {
        case .paused: count == 1 ? tr("1 transfer paused.") : tr("\(count) transfers paused.")
        case .resumed: count == 1 ? tr("1 transfer resumed.") : tr("\(count) transfers resumed.")
        case .cancelled: count == 1 ? tr("1 transfer cancelled.") : tr("\(count) transfers cancelled.")
        case .removed: count == 1 ? tr("1 transfer removed.") : tr("\(count) transfers removed.")
        case .retried: count == 1 ? tr("1 transfer started again.") : tr("\(count) transfers started again.")
        case .released: count == 1 ? tr("1 transfer released.") : tr("\(count) transfers released.")
        case .changed: count == 1 ? tr("1 transfer changed.") : tr("\(count) transfers changed.")
        }
    }

    fileprivate var none: String {
        switch self {
        case .paused: tr("No transfer was paused.")
        case .resumed: tr("No transfer was resumed.")
        case .cancelled: tr("No transfer was cancelled.")
        case .removed: tr("No transfer was removed.")
        case .retried: tr("No transfer was started again.")
        case .released: tr("No transfer was released.")
        case .changed: tr("No transfer was changed.")
        }
    }
}

extension ControlAnswer {
    /// The number of named transfers that the answer does not mention.
    fileprivate func untouched(of selection: TransferSelection) -> Int {
        guard case .ids(let named) = selection else { return 0 }
        return named.count - changed - refusals.count
    }
}
