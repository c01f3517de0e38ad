import LonghaulCore

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
            name, "ID…|--group NAME|--all", summary, options: [.chosenGroup, .allTransfers, .session, .json, .quiet],
            run: { arguments, world throws(TransferFailure) in
                try await ChosenTransfers.change(arguments.operands, name, done: done, arguments, world) {
                    service, selection, session throws(TransferFailure) in
                    try await service.control(verb, selection, in: session)
                }
            })
    }
}
