import LonghaulCore

/// What `download`, `upload` and `request` have in common: submit, then stay or leave.
enum TransferRun {
    static func start(
        _ arguments: Arguments, _ world: World, _ source: @escaping OrderSource
    ) async throws(TransferFailure) -> AttachedRun.Outcome {
        let detaches = arguments.has(.detach)
        var run = AttachedRun(
            world: world, session: try LocalCheck.session(arguments), report: report(arguments, world))
        let outcome = await run.submit(source, detaches: detaches)
        if detaches && !arguments.has(.json) {
            for id in outcome.ids { world.console.print(id.description) }
        }
        return outcome
    }

    static func report(_ arguments: Arguments, _ world: World) -> any Report {
        if arguments.has(.json) { return JSONReport(console: world.console) }
        if arguments.has(.quiet) { return QuietReport(console: world.console) }
        if world.console.canRedraw { return LiveReport(console: world.console) }
        return PlainReport(console: world.console)
    }

    /// Orders that are known from the start.
    static func source(_ orders: [Order]) -> OrderSource {
        { deliver throws(TransferFailure) in try await deliver(orders) }
    }
}
