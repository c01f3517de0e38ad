import LonghaulCore

/// Commands that pause, resume, or end transfers.
enum ControlCommands {
    static let pause: Command = Command(
        "pause", "ID…|--group NAME|--all [options]", "Pause transfers",
        options: [.yes, .chosenGroup, .allTransfers, .session, .json, .quiet],
        transfers: ["waiting", "running", "awaitingResponse"],
        examples: [
            .init("longhaul pause film.mp4", "Pause a transfer by its file name"),
            .init("longhaul pause --group films", "Pause all transfers of a group"),
        ],
        notes: [
            "Paused transfers resume where they stopped. Most PUT uploads, and downloads without a strong ETag or an "
                + "older date, restart from the beginning. On a terminal, the command asks before it pauses such a transfer."
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

    static let resume = control("resume", .resume, of: ["paused"], "Resume paused transfers", done: "resumed")
    static let cancel = control(
        "cancel", .cancel, of: StateText.liveWords, "Cancel transfers and delete their partial files",
        done: "cancelled")
    static let remove = control(
        "remove", .remove, of: StateText.endedWords, "Remove ended transfers from the list", done: "removed",
        notes: ["Downloaded files stay where they are."])

    static let retry: Command = Command(
        "retry", "ID…|--group NAME|--all [options]", "Retry failed, cancelled, or waiting transfers now",
        options: [.user, .header, .newOutput, .newDirectory, .chosenGroup, .allTransfers, .session, .json, .quiet],
        transfers: ["failed", "cancelled", "waiting"],
        examples: [
            .init("longhaul retry film.mp4 -u ada", "Log in after a refusal (401); prompts for the password"),
            .init("longhaul retry film.mp4 -d /mnt/disk", "Save in another directory and retry"),
        ],
        notes: [
            "Transfers waiting for their turn, a start time, or their allowed hours start now. The first four IDs start "
                + "beyond the limits. Transfers waiting for another network or for power do not start; use longhaul "
                + "anyway.",
            "-u and -H replace headers of the same name and keep the others. -o and -d keep the bytes downloaded so "
                + "far. If the transfer cannot be retried, nothing changes.",
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
        _ name: String, _ verb: ControlVerb, of states: [String], _ summary: String, done: String, notes: [String] = []
    ) -> Command {
        Command(
            name, "ID…|--group NAME|--all [options]", summary,
            options: [.chosenGroup, .allTransfers, .session, .json, .quiet], transfers: states, notes: notes,
            run: { arguments, world throws(TransferFailure) in
                try await ChosenTransfers.change(arguments.operands, name, among: states, done: done, arguments, world)
                {
                    service, selection, session throws(TransferFailure) in
                    try await service.control(verb, selection, in: session)
                }
            })
    }
}
