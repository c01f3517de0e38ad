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
            guard let (rate, ids) = arguments.operands.taking(RulesText.limit, atStart: true) else {
                throw .usage("set-rate needs a rate first, such as 500k, 2M or none")
            }
            return try await adjust(TransferAdjustment(rateLimit: rate), ids, setRate, "changed", arguments, world)
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
            guard let (place, ids) = arguments.operands.taking(QueuePlace.init, atStart: false) else {
                throw .usage("set-priority needs a number, first or last at its end")
            }
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

extension [String] {
    /// The value that stands at one end of the identifiers, and these. Whoever has the order of another command in mind is understood
    /// where what stands at the other end is a value and no number, as identifiers may be: `set-rate film.bin 1M`.
    fileprivate func taking<Value>(_ read: (String) -> Value?, atStart: Bool) -> (value: Value, ids: [String])? {
        func value(atStart: Bool, orNumber: Bool) -> (value: Value, ids: [String])? {
            guard let word = atStart ? first : last, orNumber || !word.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else {
                return nil
            }
            return read(word).map { ($0, Array(atStart ? dropFirst() : dropLast())) }
        }
        return value(atStart: atStart, orNumber: false) ?? value(atStart: !atStart, orNumber: false)
            ?? value(atStart: atStart, orNumber: true)
    }
}
