import LonghaulCore

/// Commands that pause, resume, retry, or end transfers.
enum ControlCommands {
    static let pause: Command = Command(
        "pause", "ID…|--group NAME|--all [options]", "Pause transfers",
        options: [.yes] + Option.selection + [.session, .json, .quiet],
        transfers: ["waiting", "running", "awaitingResponse"],
        examples: [
            .init("longhaul pause film.mp4", "Pause a transfer by its file name"),
            .init("longhaul pause --group films", "Pause all transfers of a group"),
        ],
        notes: [
            "Paused transfers resume where they stopped. Most PUT uploads, and downloads without a strong ETag or an "
                + "older date, restart from the beginning. On a terminal, the command asks before it pauses such a transfer."
        ],
        reference: ([printed], []),
        run: { arguments, world throws(TransferFailure) in
            try await ChosenTransfers.change(
                arguments.operands, "pause", among: pause.transfers, done: .paused, arguments, world
            ) {
                service, selection, session throws(TransferFailure) in
                guard
                    try await LossQuestion.isAccepted(
                        .pause, of: selection, in: session, over: service, arguments, world)
                else { return nil }
                return try await service.control(.pause, selection, in: session)
            }
        })

    static let resume = control(
        "resume", .resume, of: ["paused"], "Resume paused transfers", done: .resumed,
        reference: .init("longhaul resume --all", "Resume all paused transfers"))
    static let cancel = control(
        "cancel", .cancel, of: StateText.liveWords, "Cancel transfers and delete their partial files",
        asks: .cancel, done: .cancelled,
        reference: .init("longhaul cancel --group films --yes", "Cancel a group without a question"))
    static let remove = control(
        "remove", .remove, of: StateText.endedWords, "Remove ended transfers from the list",
        asks: .remove, done: .removed, notes: ["Downloaded files stay where they are."],
        reference: .init("longhaul remove --state succeeded --older-than 7d", "Remove transfers that are a week old"))

    /// A paragraph of the reference.
    private static let printed =
        "The command prints the number of transfers that it changed. If a transfer that you name was already in the "
        + "requested state, it prints the state of each transfer instead, and exits with 0."

    static let retry: Command = Command(
        "retry", "ID…|--group NAME|--all [options]", "Retry failed, cancelled, or waiting transfers now",
        options: [.user, .header, .newOutput, .newDirectory, .detach] + Option.selection + [.session, .json, .quiet],
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
                throw .usage("retry takes -u and -H, or -o and -d. To change both, run longhaul set first.")
            }
            let stays = world.console.canRedraw && ![Option.detach, .json, .quiet].contains(where: arguments.has)
            let outcome = try await ChosenTransfers.outcome(
                arguments.operands, "retry", among: retry.transfers, done: .retried,
                report: stays ? .refusals : .states, arguments, world
            ) { [change] service, selection, session throws(TransferFailure) in
                if change.destination != nil { return try await service.adjust(change, selection, in: session) }
                guard !headers.isEmpty else { return try await service.control(.retry, selection, in: session) }
                guard case .ids(let ids) = selection else { throw .usage("retry with -u or -H needs IDs.") }
                return await authorize(ids, headers, service, session)
            }
            guard stays, !outcome.changed.isEmpty else { return outcome.status }
            let session = try LocalCheck.session(arguments)
            var run = AttachedRun(
                world: world, session: session, report: TransferRun.report(arguments, world, session),
                book: WatchedTransfers(following: outcome.changed))
            return outcome.status.joined(with: await run.watch(.ids(outcome.changed)))
        })

    private static func authorize(
        _ ids: [TransferID], _ headers: [HeaderField], _ service: any TransferService, _ session: SessionID
    ) async -> ControlAnswer {
        var answer = ControlAnswer(changed: 0)
        for id in ids {
            do throws(TransferFailure) {
                // The empty URL keeps the transfer's own.
                try await service.replaceURL(of: id, with: "", headers: headers, in: session)
                let startsByRetry =
                    switch try await service.show(id, in: session).snapshot.state {
                    case .paused: true
                    case .waiting(let waiting): [.notBefore, .hours].contains(waiting.reason)
                    default: false
                    }
                if startsByRetry { _ = try await service.control(.retry, .ids([id]), in: session) }
                answer.changed += 1
            } catch {
                answer.refusals.append(.init(id: id, failure: error))
            }
        }
        return answer
    }

    private static func control(
        _ name: String, _ verb: ControlVerb, of states: [String], _ summary: String, asks: LossQuestion.Verb? = nil,
        done: ChosenTransfers.Done, notes: [String] = [], reference: Command.Example
    ) -> Command {
        Command(
            name, "ID…|--group NAME|--all [options]", summary,
            options: (asks == nil ? [] : [.yes]) + Option.selection + [.session, .json, .quiet],
            transfers: states, notes: notes, reference: ([printed], [reference]),
            run: { arguments, world throws(TransferFailure) in
                try await ChosenTransfers.change(arguments.operands, name, among: states, done: done, arguments, world)
                {
                    service, selection, session throws(TransferFailure) in
                    if let asks {
                        guard
                            try await LossQuestion.isAccepted(
                                asks, of: selection, in: session, over: service, arguments, world)
                        else { return nil }
                    }
                    return try await service.control(verb, selection, in: session)
                }
            })
    }
}
