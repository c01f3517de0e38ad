import LonghaulCore

extension Option {
    static let chosenGroup = Option("group", value: "NAME", "All transfers of this group")
    fileprivate static let all = Option("all", "a", "All transfers of the session that have not ended")
    fileprivate static let undo = Option("undo", nil, "Heed the conditions again")
}

/// Commands that change transfers which exist.
extension Command {
    static let setRate: Command = Command(
        "set-rate", "RATE ID…|--group NAME|--all", "Change how fast transfers go, at once",
        options: [.chosenGroup, .all, .session, .quiet],
        notes: ["RATE is bytes a second, such as 500k or 2M (powers of 1024), or none."],
        run: { arguments, world throws(TransferFailure) in
            guard let text = arguments.operands.first, let rate = RulesText.limit(text) else {
                throw .usage("set-rate needs a rate first, such as 500k, 2M or none")
            }
            return try await adjust(
                TransferAdjustment(rateLimit: rate), Array(arguments.operands.dropFirst()), setRate, "changed",
                arguments, world)
        })

    static let anyway: Command = Command(
        "anyway", "ID…|--group NAME|--all", "Let transfers go on whatever the conditions are",
        options: [.undo, .chosenGroup, .all, .session, .quiet],
        notes: [
            "They go on over metered networks, without external power, before their date, outside their hours and beyond the "
                + "data budget. A server's wish to be left alone is none of these: longhaul retry tries against it."
        ],
        run: { arguments, world throws(TransferFailure) in
            let ignores = !arguments.has(.undo)
            return try await adjust(
                TransferAdjustment(ignoresConditions: ignores), arguments.operands, anyway,
                ignores ? "released" : "changed", tellsState: true, arguments, world)
        })

    static let setPriority: Command = Command(
        "set-priority", "ID…|--group NAME|--all N|first|last", "Change which of the waiting transfers go first",
        options: [.chosenGroup, .all, .session, .quiet],
        notes: [
            "N is a number such as 5 or -5; higher goes first, and without --priority a transfer has 0. first and last are "
                + "before and after all others that have not ended. What runs already runs on."
        ],
        run: { arguments, world throws(TransferFailure) in
            guard let word = arguments.operands.last, let place = QueuePlace(word) else {
                throw .usage("set-priority needs a number, first or last at its end")
            }
            let ids = Array(arguments.operands.dropLast())
            return try await ChosenTransfers.change(
                ids, "set-priority", among: setPriority.transfers, done: "changed", arguments, world
            ) {
                service, selection, session throws(TransferFailure) in
                let priority = try await place.priority(of: selection, in: session, over: service)
                return try await service.adjust(TransferAdjustment(priority: priority), selection, in: session)
            }
        })

    private static func adjust(
        _ adjustment: TransferAdjustment, _ ids: [String], _ command: Command, _ done: String, tellsState: Bool = false,
        _ arguments: Arguments, _ world: World
    ) async throws(TransferFailure) -> ExitStatus {
        try await ChosenTransfers.change(
            ids, command.name, among: command.transfers, done: done, tellsState: tellsState, arguments, world
        ) {
            service, selection, session throws(TransferFailure) in
            try await service.adjust(adjustment, selection, in: session)
        }
    }
}
