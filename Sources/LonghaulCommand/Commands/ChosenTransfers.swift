import LonghaulCore

extension Option {
    static let allTransfers = Option("all", "a", "All transfers of the session")
}

/// What the commands share that change transfers which exist: which ones are meant, and what is said of it.
enum ChosenTransfers {
    typealias Change =
        @Sendable (any TransferService, TransferSelection, SessionID) async throws(TransferFailure) -> ControlAnswer

    /// Changes those that `ids`, `--group` or `--all` name; `done` is the word for what was done.
    static func change(
        _ ids: [String], _ name: String, done: String, _ arguments: Arguments, _ world: World, _ change: Change
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
            selection = .ids(try await IDLookup.find(ids, in: session, over: service))
        }
        let answer = try await change(service, selection, session)
        tell(answer, done, arguments, world)
        return answer.refusals.reduce(.success) { $0.joined(with: ExitStatus($1.failure.code)) }
    }

    private static func tell(_ answer: ControlAnswer, _ done: String, _ arguments: Arguments, _ world: World) {
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
            world.console.say(ErrorLine.text(refusal.failure, subject: ShortID.text(refusal.id)))
        }
        if !arguments.has(.quiet) && (answer.changed > 0 || answer.refusals.isEmpty) {
            world.console.say(HumanText.count(answer.changed, "transfer") + " " + done)
        }
    }
}
