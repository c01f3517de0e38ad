import LonghaulCore

extension Option {
    static let chosenGroup = Option("group", value: "NAME", "Select the transfers of group NAME")
    static let allTransfers = Option("all", "a", "Select all transfers of the session")
}

/// What the commands share that change transfers which exist: which ones are meant, and what is said of it.
enum ChosenTransfers {
    typealias Change =
        @Sendable (any TransferService, TransferSelection, SessionID) async throws(TransferFailure) -> ControlAnswer

    /// Of so many that were named it is said what each of them does now.
    private static let fewTransfers = 10

    /// Changes those that `ids`, `--group` or `--all` name, first those in one of the `states`; `done` is the word for what was done. What comes of it may be
    /// something else: `tellsState` says that as well.
    static func change(
        _ ids: [String], _ name: String, among states: [String], done: String, tellsState: Bool = false,
        _ arguments: Arguments, _ world: World, _ change: Change
    ) async throws(TransferFailure) -> ExitStatus {
        let session = try LocalCheck.session(arguments)
        let ways = [!ids.isEmpty, arguments.has(.group), arguments.has(.allTransfers)].count { $0 }
        guard ways == 1 else { throw .usage("\(name) needs IDs, or --group, or --all, and only one of them") }
        // A script whose variable is not set did not mean all transfers that have no group.
        guard arguments.value(.group) != "" else { throw .usage("--group needs the name of a group") }
        let service = try await world.connect(true)
        defer { service.close() }
        let selection: TransferSelection
        if let group = arguments.value(.group) {
            selection = .group(group)
        } else if arguments.has(.allTransfers) {
            selection = .all
        } else {
            selection = .ids(try await IDLookup.find(ids, among: states, in: session, over: service))
        }
        let answer = try await change(service, selection, session)
        let isSaid = !arguments.has(.json) && !arguments.has(.quiet)
        // What was named and neither changed nor refused was as it should be already: its state says so.
        let untouched = answer.untouched(of: selection)
        if tellsState || untouched > 0, isSaid, case .ids(let named) = selection, named.count <= fewTransfers {
            await tellStates(of: named, answer, done, service, session, world)
        } else {
            tell(answer, done, session, arguments, world)
        }
        return answer.refusals.reduce(.success) { $0.joined(with: ExitStatus($1.failure.code)) }
    }

    /// What each of those does now, or why it was not changed.
    private static func tellStates(
        of ids: [TransferID], _ answer: ControlAnswer, _ done: String, _ service: any TransferService,
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
                // It is gone by now, or the service is; it was changed all the same.
                world.console.say("\(short) \(done)")
            }
        }
    }

    private static func tell(
        _ answer: ControlAnswer, _ done: String, _ session: SessionID, _ arguments: Arguments, _ world: World
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
        for refusal in answer.refusals {
            let short = ShortID.text(refusal.id)
            world.console.say(ErrorLine.text(refusal.failure, subject: short, id: refusal.id, in: session))
        }
        guard !arguments.has(.quiet) else { return }
        if answer.changed > 0 {
            world.console.say(HumanText.count(answer.changed, "transfer") + " " + done)
        } else if answer.refusals.isEmpty {
            world.console.say("No transfer was \(done)")
        }
    }
}

extension ControlAnswer {
    /// How many of those that were named it says nothing of.
    fileprivate func untouched(of selection: TransferSelection) -> Int {
        guard case .ids(let named) = selection else { return 0 }
        return named.count - changed - refusals.count
    }
}
