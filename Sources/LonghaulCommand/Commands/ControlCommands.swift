import LonghaulCore

/// What pauses transfers, goes on with them, or ends them.
enum ControlCommands {
    static let pause: Command = Command(
        "pause", "ID…|--group NAME|--all", "Stop transfers at a safe byte until they are resumed",
        options: [.yes, .chosenGroup, .allTransfers, .session, .json, .quiet],
        transfers: ["waiting", "running", "awaitingResponse"],
        notes: [
            "What cannot be resumed begins anew: most uploads by PUT, and downloads from servers that do not say which version "
                + "of a file they send. On a terminal you are asked before such a transfer is paused."
        ],
        run: { arguments, world throws(TransferFailure) in
            try await ChosenTransfers.change(
                arguments.operands, "pause", among: pause.transfers, done: "paused", arguments, world
            ) {
                service, selection, session throws(TransferFailure) in
                guard try await PauseLoss.isAccepted(of: selection, in: session, over: service, arguments, world) else {
                    return ControlAnswer(changed: 0)
                }
                return try await service.control(.pause, selection, in: session)
            }
        })

    static let resume = control("resume", .resume, of: ["paused"], "Go on with paused transfers", done: "resumed")
    static let cancel = control(
        "cancel", .cancel, of: StateText.liveWords, "End transfers for good; partial files are deleted",
        done: "cancelled")
    static let remove = control(
        "remove", .remove, of: StateText.endedWords, "Forget transfers that have ended", done: "removed")

    static let retry: Command = Command(
        "retry", "ID…|--group NAME|--all", "Start failed or cancelled transfers again, waiting ones at once",
        options: [.user, .header, .newOutput, .newDirectory, .chosenGroup, .allTransfers, .session, .json, .quiet],
        transfers: ["failed", "cancelled", "waiting"],
        notes: [
            "Transfers that wait for their turn, for a start time or for their allowed hours start now. The first four that are "
                + "named by ID start beyond the limits. What waits for another network or for power does not start: "
                + "longhaul anyway lets it go on.",
            "-u and -H take the place of header fields of the same names, the others stay: after a refusal (401), "
                + "longhaul retry ID -u USER asks for the password and goes on.",
            "-o and -d move the download first and keep its bytes, as longhaul set does. If it cannot be retried, nothing changes.",
        ],
        run: { arguments, world throws(TransferFailure) in
            let headers = try TransferTemplate(arguments, world).headers
            var change = TransferAdjustment()
            change.destination = try TransferChange.destination(arguments, world)
            change.retries = true
            guard headers.isEmpty || change.destination == nil else {
                throw .usage("retry takes -u and -H, or -o and -d; to change both, run longhaul set first")
            }
            return try await ChosenTransfers.change(
                arguments.operands, "retry", among: retry.transfers, done: "started again", tellsState: true, arguments,
                world
            ) { [change] service, selection, session throws(TransferFailure) in
                if change.destination != nil { return try await service.adjust(change, selection, in: session) }
                guard !headers.isEmpty else { return try await service.control(.retry, selection, in: session) }
                guard case .ids(let ids) = selection else { throw .usage("retry with --user or --header needs IDs") }
                return await authorize(ids, headers, service, session)
            }
        })

    private static func authorize(
        _ ids: [TransferID], _ headers: [HeaderField], _ service: any TransferService, _ session: SessionID
    ) async -> ControlAnswer {
        var answer = ControlAnswer(changed: 0)
        for id in ids {
            do throws(TransferFailure) {
                // Without a URL the one it has stays.
                try await service.replaceURL(of: id, with: "", headers: headers, in: session)
                if try await service.show(id, in: session).snapshot.state == .paused {
                    _ = try await service.control(.retry, .ids([id]), in: session)
                }
                answer.changed += 1
            } catch {
                answer.refusals.append(.init(id: id, failure: error))
            }
        }
        return answer
    }

    private static func control(
        _ name: String, _ verb: ControlVerb, of states: [String], _ summary: String, done: String
    ) -> Command {
        Command(
            name, "ID…|--group NAME|--all", summary, options: [.chosenGroup, .allTransfers, .session, .json, .quiet],
            transfers: states,
            run: { arguments, world throws(TransferFailure) in
                try await ChosenTransfers.change(arguments.operands, name, among: states, done: done, arguments, world)
                {
                    service, selection, session throws(TransferFailure) in
                    try await service.control(verb, selection, in: session)
                }
            })
    }
}
