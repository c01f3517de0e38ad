import LonghaulCore

/// The common part of `download`, `upload`, and `request`: submit, then stay or detach.
enum TransferRun {
    static func start(
        _ arguments: Arguments, _ world: World, _ source: @escaping OrderSource
    ) async throws(TransferFailure) -> AttachedRun.Outcome {
        let detaches = arguments.has(.detach)
        let session = try LocalCheck.session(arguments)
        var run = AttachedRun(
            world: world, session: session, group: arguments.value(.group),
            report: report(arguments, world, session), heads: heads(arguments, world, session))
        await UnreportedText.say(try TransferTemplate.conditions(arguments), arguments, world)
        UnreportedText.sayIfUnnotified(arguments, world)
        let outcome = await run.submit(source, detaches: detaches)
        if arguments.has(.json) { return outcome }
        if detaches {
            if world.console.isOutputTerminal, outcome.ids.count > 1 {
                world.console.print(tr("\(outcome.ids.count) transfers submitted."))
            } else {
                for id in outcome.ids { world.console.print(id.description) }
            }
        } else if !outcome.status.isSignal {
            try await ResponseOutput.printBodies(ofUploads: outcome.uploads, in: session, world)
        }
        return outcome
    }

    static func report(_ arguments: Arguments, _ world: World, _ session: SessionID) -> any Report {
        if arguments.has(.json) { return JSONReport(console: world.console) }
        if arguments.has(.quiet) { return QuietReport(session: session, console: world.console) }
        if world.console.canRedraw, !arguments.has(.verbose) {
            return LiveReport(session: session, group: arguments.value(.group), console: world.console)
        }
        return PlainReport(session: session, group: arguments.value(.group), console: world.console)
    }

    static func heads(_ arguments: Arguments, _ world: World, _ session: SessionID) -> HeadsView? {
        arguments.has(.verbose) ? HeadsView(world: world, session: session) : nil
    }

    /// A source of known orders.
    static func source(_ orders: [Order]) -> OrderSource {
        { deliver throws(TransferFailure) in try await deliver(orders) }
    }
}
