import LonghaulCore

extension Command {
    static let watch: Command = Command(
        "watch", "[ID…] [options]", "Show progress until the transfers end",
        options: [.chosenGroup, .session, .json, .quiet],
        notes: [
            "Without ID, the command shows all active transfers and new ones. Ctrl-C exits; the transfers continue."
        ],
        reference: ([], [.init("longhaul watch --group films", "Show the progress of a group")]),
        run: { arguments, world throws(TransferFailure) in
            let session = try LocalCheck.session(arguments)
            let group = arguments.value(.group)
            if group != nil && !arguments.operands.isEmpty { throw .usage("Choose IDs or --group.") }
            let (selection, book) = try await subject(arguments.operands, group, session, world)
            guard let selection else {
                world.console.say(tr("No active transfers."))
                return .success
            }
            let report = TransferRun.report(arguments, world, session)
            var run = AttachedRun(world: world, session: session, group: group, report: report, book: book)
            return await run.watch(selection)
        })

    /// Returns the transfers to follow; no selection if there is nothing to wait for.
    private static func subject(
        _ texts: [String], _ group: String?, _ session: SessionID, _ world: World
    ) async throws(TransferFailure) -> (TransferSelection?, WatchedTransfers) {
        let service = try await world.connect(true)
        defer { service.close() }
        guard texts.isEmpty else {
            let ids = try await IDLookup.find(
                texts, among: watch.transfers, choosesNewest: true, in: session, over: service)
            // The service reports nothing about an unknown transfer.
            for id in ids { _ = try await service.show(id, in: session) }
            return (.ids(ids), WatchedTransfers(following: ids))
        }
        let selection = group.map { TransferSelection.group($0) } ?? .all
        let live = try await service.list(ListQuery(selection: selection, ended: false, limit: 1), in: session)
        return (live.transfers.isEmpty ? nil : selection, WatchedTransfers(followsNew: true))
    }
}
