import LonghaulClient
import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// `longhaul service`: shows, starts, or stops the service.
enum ServiceCommand {
    static let command = Command(
        "service", "status|start|stop [options]", "Show, start, or stop the service", options: [.json],
        notes: [
            "Stopping loses nothing: transfers resume when the service starts again. Commands that show or change "
                + "transfers start it; service status and doctor do not. If the service is not running, service status "
                + "exits with 12.",
            "Whether transfers continue after logout and start at boot depends on systemd and lingering. longhaul doctor "
                + "reports it, and longhaul setup changes it. Without systemd, let cron start the service: "
                + "@reboot longhaul service start",
        ],
        reference: ([], [.init("longhaul service status --json", "Show the service as JSON")]),
        run: { arguments, world throws(TransferFailure) in
            guard let verb = arguments.operands.first else {
                throw .misuse("service needs status, start, or stop.")
            }
            if arguments.operands.count > 1 {
                throw .usage("service \(verb) does not take \"\(arguments.operands[1])\".")
            }
            switch verb {
            case "status": return try await status(arguments, world, starts: false)
            case "start": return try await status(arguments, world, starts: true)
            case "stop": return try await stop(world)
            default: throw .usage("service takes status, start, or stop, not \"\(verb)\".")
            }
        })

    private static func status(
        _ arguments: Arguments, _ world: World, starts: Bool
    ) async throws(TransferFailure) -> ExitStatus {
        let service = try await world.connect(starts)
        defer { service.close() }
        let status = try await service.status()
        if arguments.has(.json) {
            world.console.writeOutput(json(status))
        } else {
            world.console.print(lines(status, world).joined(separator: "\n"))
        }
        let troubles = status.sessions.map(\.trouble) + [status.trouble]
        return troubles.contains { $0?.code == .storeDamaged } ? .damaged : .success
    }

    private static func stop(_ world: World) async throws(TransferFailure) -> ExitStatus {
        let service: any TransferService
        do throws(TransferFailure) {
            service = try await world.connect(false)
        } catch  where error == .serviceAbsent {
            world.console.say(tr("The service is not running."))
            return .success
        }
        defer { service.close() }
        let status = try await service.status()
        try await StoppedService.end(service, process: status.processID, world)
        let interrupted = status.sessions.reduce(0) { $0 + $1.totals.running }
        if interrupted == 1 {
            world.console.say(tr("The stop interrupted 1 transfer, which resumes when the service starts again."))
        } else if interrupted > 1 {
            world.console.say(
                tr("The stop interrupted \(interrupted) transfers, which resume when the service starts again."))
        }
        return .success
    }

    private static func lines(_ status: ServiceStatus, _ world: World) -> [String] {
        let starter = status.isSocketActivated ? "systemd" : tr("a client")
        var lines = [
            tr("longhauld \(status.version), process \(status.processID), started by \(starter)"),
            tr(
                "since \(world.localTime(status.startedAt)), clients: \(status.clients), memory: \(HumanText.bytes(status.residentBytes))"
            ),
            tr("state directory: \(DisplayText.clean(status.stateDirectory))"),
        ]
        if let trouble = status.trouble { lines.append(tr("all sessions: \(StateText.sentence(trouble).asSentence)")) }
        for session in status.sessions {
            let totals = session.totals
            if let trouble = session.trouble {
                lines.append(tr("session \(session.id): \(StateText.sentence(trouble).asSentence)"))
            }
            // A session that cannot be opened has no totals. After the quarantine of a damaged store, a new one is open.
            guard session.trouble == nil || session.trouble?.code == .storeDamaged else { continue }
            lines.append(tr("session \(session.id): \(TotalsText.text(totals))"))
        }
        return lines
    }

    private static func json(_ status: ServiceStatus) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("version", status.version)
            json.member("processID", status.processID)
            json.member("startedAt", status.startedAt)
            json.member("isSocketActivated", status.isSocketActivated)
            json.member("clients", status.clients)
            json.member("residentBytes", status.residentBytes)
            json.member("stateDirectory", status.stateDirectory)
            json.failure("trouble", status.trouble)
            json.array("sessions") { json in
                for session in status.sessions { json.object { $0.members(of: session) } }
            }
        }
        json.endLine()
        return json.bytes
    }
}

/// Waits for the exit of a service that was told to stop: it answers first.
private enum StoppedService {
    /// After this, the state directory is released, so that a script can upgrade or remove Longhaul.
    static func end(
        _ service: any TransferService, process: Int, _ world: World
    ) async throws(TransferFailure) {
        try await service.stopService()
        guard let paths = try? LonghaulPaths(environment: world.environment) else { return }
        for _ in 0..<500 {
            guard let holder = ServiceTraces.holder(paths), Int(holder.process) == process,
                ServiceTraces.isLocked(paths) == true
            else { return }
            await world.pause(.milliseconds(20))
        }
    }
}

/// The number of transfers in each state.
enum TotalsText {
    static func text(_ totals: SessionTotals) -> String {
        tr(
            "\(totals.running) running, \(totals.waiting) waiting, \(totals.paused) paused, \(totals.succeeded) succeeded, \(totals.failed) failed, \(totals.cancelled) cancelled"
        )
    }
}
