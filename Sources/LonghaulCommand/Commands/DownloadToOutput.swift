import LonghaulCore
import LonghaulSystem

/// `-o -`: the transfer belongs to this command and ends with it.
extension DownloadOrders {
    /// Whether the file goes to standard output.
    var goesToOutput: Bool { arguments.value(.output).map(OutputPlace.isStandardOutput) ?? false }

    func checkOutput() throws(TransferFailure) {
        guard goesToOutput else {
            guard let output = arguments.value(.output), LocalFiles.isSpecial(world.absolute(output)) else { return }
            let line = ShellText.line([targets.first?.url ?? metalinks.first ?? "URL", "-o", "-"])
            throw .usage("\"\(output)\" is not a regular file. To write to it, type: \(line) > \(output)")
        }
        let others: [Option] = [
            .detach, .json, .key, .directory, .overwrite, .input, .newer, .skipExisting, .goOn, .continueAt,
            .remoteTime, .split,
            .mirror,
        ]
        for option in others where arguments.has(option) {
            throw .usage("--\(option.long) does not work with -o -.")
        }
        guard targets.count + metalinks.count == 1 else {
            let others = ["-o", "-o-", "-", "--output", "--output=-"]
            let line = ShellText.line(arguments.typed.filter { !others.contains($0) })
            throw .usage("Only one file can go to standard output. To save the files, type: \(line)")
        }
    }

    /// Tells users who expect the file itself in a pipe or a redirection, as from curl, that it received a path.
    func sayWhatOutputGot(_ orders: [Order]) {
        let others: [Option] = [.output, .quiet, .json, .detach]
        let kind = (try? LentDescriptor(world.output).status())?.kind
        guard !others.contains(where: arguments.has), world.console.printsPaths, kind == .pipe || kind == .regular
        else { return }
        guard list == nil, orders.count == 1, case .transfer(let spec, _)? = orders.first, let download = spec.download
        else {
            return world.console.say(
                tr("The files were saved, and their paths were written to standard output; -o - writes one file there.")
            )
        }
        // The line may go to a log, so it does not repeat a URL or other options.
        world.console.say(
            tr(
                "The file was saved in \(download.directory), and its path was written to standard output; -o - writes the file "
                    + "there."))
    }

    func startToOutput() async throws(TransferFailure) -> ExitStatus {
        let session = try LocalCheck.session(arguments)
        let proof = try await proof()
        await UnreportedText.say(template.options.conditions, arguments, world)
        let (own, leftovers) = try OutputPlace.make(environment: world.environment, random: world.random())
        defer { own.remove() }
        for leftover in leftovers {
            await end(leftover.id, in: leftover.session)
            leftover.place.remove()
        }
        var spec = try await specForOutput(in: own.directory, proof)
        spec.follow()
        let output = BodyOutput(directory: own.directory, output: LentDescriptor(world.output))
        var run = AttachedRun(
            world: world, session: session, report: outputReport(session), output: output,
            heads: TransferRun.heads(arguments, world, session))
        let order = Order.transfer(spec, subject: spec.redactedURL)
        let outcome = await run.submit(TransferRun.source([order]), detaches: false) { own.record($0, in: session) }
        output.stop()
        for id in outcome.ids { await end(id, in: session) }
        return outcome.status
    }

    private func specForOutput(in directory: String, _ proof: Proof) async throws(TransferFailure) -> TransferSpec {
        if let target = targets.first {
            let place = try DownloadPlace(output: nil, directory: directory, overwrites: false, world: world)
            return try spec(of: target, place, proof)
        }
        let reader = MetalinkOrders(
            arguments: arguments, world: world, template: template, continuing: nil, outputDirectory: directory)
        var places = ListPlaces()
        let orders = try await reader.orders(of: metalinks[0], &places)
        guard case .transfer(let spec, _)? = orders.first, orders.count == 1 else {
            throw .usage("Only one file can go to standard output, and the Metalink names \(orders.count).")
        }
        return spec
    }

    /// Only the body goes to standard output. If that is a terminal, no progress is drawn over it.
    private func outputReport(_ session: SessionID) -> any Report {
        var world = world
        if world.console.isOutputTerminal { return QuietReport(session: session, console: world.console) }
        world.console.hidesPaths = true
        return TransferRun.report(arguments, world, session)
    }

    /// Cancels and removes a transfer whose bytes no other command can use, and waits until it is gone. If the service cannot be
    /// reached, the next command with `-o -` does it.
    private func end(_ id: TransferID, in session: SessionID) async {
        guard let service = try? await world.connect(false) else { return }
        defer { service.close() }
        // On a slow disk, the final rename must end before the transfer can be removed, and its partial file is deleted later.
        // After a minute, the next command does it.
        for pass in 0..<3_000 {
            if pass > 1 { await world.pause(.milliseconds(20)) }
            _ = try? await service.control(.cancel, .ids([id]), in: session)
            let answer = try? await service.control(.remove, .ids([id]), in: session)
            guard let answer, !answer.refusals.contains(where: { $0.failure.code == .unknownTransfer }) else { return }
        }
    }
}

extension TransferSnapshot {
    /// The transfer ends with the command, so advice about it must be about the next command.
    mutating func endsWithCommand() {
        // The file is temporary.
        path = nil
        if case .failed(let failure) = state { state = .failed(failure.ofGoneTransfer) }
    }
}

extension TransferSpec {
    fileprivate mutating func follow() {
        options.joinsEqualBefore = nil
        download?.isFollowed = true
        // The bytes must arrive in order, from one source.
        download?.pieces = nil
        options.mirrors = []
    }
}
