import LonghaulCore

/// What a pause would lose.
enum PauseLoss {
    /// Tells which transfers would lose what they have moved. Who sits at a terminal is asked.
    static func isAccepted(
        of selection: TransferSelection, in session: SessionID, over service: any TransferService,
        _ arguments: Arguments, _ world: World
    ) async throws(TransferFailure) -> Bool {
        guard ![Option.yes, .quiet, .json].contains(where: arguments.has) else { return true }
        var harmed: [TransferSnapshot] = []
        try await ListPages.forEach(ListQuery(selection: selection, ended: false), in: session, over: service) {
            if $0.losesBytesWhenStopped, $0.bytesDone > 0 { harmed.append($0) }
        }
        guard let first = harmed.first else { return true }
        let others = harmed.count > 1 ? " and \(harmed.count - 1) more" : ""
        let loss =
            "\(DisplayText.clean(first.name))\(others) cannot be resumed: a pause loses "
            + HumanText.bytes(harmed.reduce(0) { $0 + $1.bytesDone })
        if world.console.canRedraw { return try world.confirm(loss + ". Pause all the same? [Y/n] ") }
        world.console.say("longhaul: " + loss)
        return true
    }
}
