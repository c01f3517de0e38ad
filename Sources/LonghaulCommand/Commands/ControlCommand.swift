import LonghaulCore

extension Option {
    fileprivate static let all = Option("all", "a", "All transfers of the session")
}

extension Command {
    static let pause = control("pause", .pause, "Stop transfers at a safe byte until they are resumed", done: "paused")
    static let resume = control("resume", .resume, "Go on with paused transfers", done: "resumed")
    static let cancel = control(
        "cancel", .cancel, "End transfers for good; partial files are deleted", done: "cancelled")
    static let retry = control(
        "retry", .retry, "Start failed or cancelled transfers again, waiting ones at once", done: "started again")
    static let remove = control("remove", .remove, "Forget transfers that have ended", done: "removed")

    private static func control(_ name: String, _ verb: ControlVerb, _ summary: String, done: String) -> Command {
        Command(
            name, "ID…|--group NAME|--all", summary, options: [.group, .all, .session, .json, .quiet],
            run: { arguments, world throws(TransferFailure) in
                try await control(verb, name, done, arguments, world)
            })
    }

    private static func control(
        _ verb: ControlVerb, _ name: String, _ done: String, _ arguments: Arguments, _ world: World
    ) async throws(TransferFailure) -> ExitStatus {
        let session = try LocalCheck.session(arguments)
        let ways = [!arguments.operands.isEmpty, arguments.has(.group), arguments.has(.all)].count { $0 }
        guard ways == 1 else { throw .usage("\(name) needs IDs, or --group, or --all, and only one of them") }
        let service = try await world.connect(true)
        defer { service.close() }
        let selection: TransferSelection
        if let group = arguments.value(.group) {
            selection = .group(group)
        } else if arguments.has(.all) {
            selection = .all
        } else {
            selection = .ids(try await IDLookup.find(arguments.operands, in: session, over: service))
        }
        let answer = try await service.control(verb, selection, in: session)
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
