import LonghaulCore

extension Option {
    static let chosenGroup = Option("group", value: "NAME", "All transfers of this group")
    fileprivate static let all = Option("all", "a", "All transfers of the session that have not ended")
    fileprivate static let undo = Option("undo", nil, "Heed the conditions again")
}

/// Commands that change transfers which exist.
extension Command {
    static let setRate = Command(
        "set-rate", "RATE ID…|--group NAME|--all", "Change how fast transfers go, at once",
        options: [.chosenGroup, .all, .session, .quiet],
        notes: ["RATE is bytes a second, such as 500k or 2M (powers of 1024), or none."],
        run: { arguments, world throws(TransferFailure) in
            guard let text = arguments.operands.first, let rate = RulesText.limit(text) else {
                throw .usage("set-rate needs a rate first, such as 500k, 2M or none")
            }
            return try await adjust(
                TransferAdjustment(rateLimit: rate), Array(arguments.operands.dropFirst()), "set-rate", "changed",
                arguments, world)
        })

    static let anyway = Command(
        "anyway", "ID…|--group NAME|--all", "Let transfers go on whatever the conditions are",
        options: [.undo, .chosenGroup, .all, .session, .quiet],
        notes: [
            "They go on over metered networks, without external power, outside their hours and beyond the data budget. A "
                + "server's wish to be left alone is none of these: longhaul retry tries against it."
        ],
        run: { arguments, world throws(TransferFailure) in
            let ignores = !arguments.has(.undo)
            return try await adjust(
                TransferAdjustment(ignoresConditions: ignores), arguments.operands, "anyway",
                ignores ? "let go on" : "changed", arguments, world)
        })

    private static func adjust(
        _ adjustment: TransferAdjustment, _ ids: [String], _ name: String, _ done: String, _ arguments: Arguments,
        _ world: World
    ) async throws(TransferFailure) -> ExitStatus {
        try await ChosenTransfers.change(ids, name, done: done, arguments, world) {
            service, selection, session throws(TransferFailure) in
            try await service.adjust(adjustment, selection, in: session)
        }
    }
}
