import LonghaulCore

extension Option {
    fileprivate static let undo = Option("undo", nil, "Apply the conditions again")
}

extension Command {
    static let anyway: Command = Command(
        "anyway", "ID…|--group NAME|--all [options]", "Run transfers regardless of their conditions",
        options: [.undo] + Option.selection + [.session, .quiet],
        examples: [
            .init("longhaul anyway film.mp4", "Start now, even over a metered network"),
            .init("longhaul anyway --undo film.mp4", "Apply the conditions again"),
        ],
        notes: [
            "The transfers run even over metered networks, without external power, before their start time, outside "
                + "their allowed hours, and beyond the data budget. They still honor a server's Retry-After; longhaul retry "
                + "overrides that.",
            "longhaul retry only ends a wait for a time: a start time, allowed hours, or the next attempt. longhaul anyway "
                + "ends a wait for any condition, and the transfer ignores its conditions from then on.",
        ],
        run: { arguments, world throws(TransferFailure) in
            let ignores = !arguments.has(.undo)
            return try await ChosenTransfers.change(
                arguments.operands, "anyway", among: anyway.transfers, done: ignores ? .released : .changed,
                report: .states, arguments, world
            ) { service, selection, session throws(TransferFailure) in
                try await service.adjust(TransferAdjustment(ignoresConditions: ignores), selection, in: session)
            }
        })
}
