import LonghaulCore
import LonghaulSystem

/// `download -o -`: the transfer is this command's, and whatever ends the command ends it.
extension DownloadOrders {
    /// Whether the file goes to standard output.
    static func goesToOutput(_ arguments: Arguments) -> Bool { arguments.value(.output) == "-" }

    static func checkOutput(_ arguments: Arguments) throws(TransferFailure) {
        guard goesToOutput(arguments) else { return }
        let others: [Option] = [
            .detach, .json, .key, .directory, .overwrite, .input, .newer, .skipExisting, .goOn, .continueAt,
            .remoteTime, .split,
            .mirror,
        ]
        for option in others where arguments.has(option) {
            throw .usage("--\(option.long) cannot be had together with -o -")
        }
    }

    func startToOutput() async throws(TransferFailure) -> ExitStatus {
        let session = try LocalCheck.session(arguments)
        let proof = try await proof()
        let (own, leftovers) = try OutputPlace.make(environment: world.environment, random: world.random())
        defer { own.remove() }
        for leftover in leftovers {
            await end(leftover.id, in: leftover.session)
            leftover.place.remove()
        }
        let place = try DownloadPlace(output: nil, directory: own.directory, overwrites: false, world: world)
        var spec = try spec(of: targets[0], place, proof)
        spec.follow()
        let output = BodyOutput(directory: own.directory, output: LentDescriptor(world.output))
        var run = AttachedRun(
            world: world, session: session, report: outputReport(session), output: output,
            heads: TransferRun.heads(arguments, world, session))
        let order = Order.transfer(spec, subject: spec.redactedURL)
        let outcome = await run.submit(TransferRun.source([order]), detaches: false) { own.note($0, in: session) }
        output.leave()
        for id in outcome.ids { await end(id, in: session) }
        return outcome.status
    }

    /// Nothing but the body goes to standard output; on a terminal, nothing is drawn across it.
    private func outputReport(_ session: SessionID) -> any Report {
        var world = world
        if world.console.isOutputTerminal { return QuietReport(session: session, console: world.console) }
        world.console.isOutputTerminal = true
        return TransferRun.report(arguments, world, session)
    }

    /// Forgets a transfer whose bytes nobody else can have, and waits until it is gone. What cannot be reached now is left to the
    /// next one.
    private func end(_ id: TransferID, in session: SessionID) async {
        guard let service = try? await world.connect(false) else { return }
        defer { service.close() }
        // A disk may be slow: one that is being put at its place cannot be removed before it is there, and one that was removed
        // is gone when its partial file is. After a minute it is left too.
        for pass in 0..<3_000 {
            if pass > 1 { await world.pause(.milliseconds(20)) }
            _ = try? await service.control(.cancel, .ids([id]), in: session)
            let answer = try? await service.control(.remove, .ids([id]), in: session)
            guard let answer, !answer.refusals.contains(where: { $0.failure.code == .unknownTransfer }) else { return }
        }
    }
}

extension TransferSnapshot {
    /// Nobody can do anything for this transfer when the command has ended: what is advised is for the next command.
    mutating func endsWithCommand() {
        // Where it is kept for a moment is nobody's business.
        path = nil
        if case .failed(let failure) = state { state = .failed(failure.ofGoneTransfer) }
    }
}

extension TransferSpec {
    fileprivate mutating func follow() {
        options.joinsEqualBefore = nil
        download?.isFollowed = true
    }
}
