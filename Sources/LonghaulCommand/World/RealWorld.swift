import LonghaulClient
import LonghaulCore
import LonghaulIPC
import LonghaulSystem

extension World {
    /// Returns this process, this terminal, and this user's service.
    package static func real() -> World {
        var world = World(
            environment: ProcessEnvironment.current, directory: readDirectory(), console: .real(),
            input: LentDescriptor.standardInput.number,
            now: SystemClock.wallTime, random: { UInt64.random(in: .min ... .max) },
            // A cancelled pause needs no handling.
            pause: { span in try? await Task.sleep(for: .microseconds(span.microseconds)) },
            signals: Signal.stream,
            connect: { startsService throws(TransferFailure) in
                try await ServiceConnection.open(startsService: startsService)
            },
            locateService: { () throws(TransferFailure) in
                try ServiceProgram(environment: ProcessEnvironment.current).locate()
            },
            inspect: { path, session throws(TransferFailure) in
                try SourceFile.inspect(path: path) { file, path throws(TransferFailure) in
                    try StagedBody.stage(file, named: path, for: session)
                }
            },
            stage: { descriptor, session throws(TransferFailure) in
                try StagedBody.stage(LentDescriptor(descriptor), named: "Standard input", for: session)
            },
            promptPassword: PasswordPrompt.prompt, confirm: Confirmation.prompt,
            perform: { UserProgram.run($0, environment: ProcessEnvironment.current) },
            examineLogout: { LogoutExamination(environment: ProcessEnvironment.current) },
            zone: SystemClock.zone.offset)
        world.creationMask = Int(ThisProcess.creationMask)
        world.environmentFault = ProcessEnvironment.pathFault
        if ThisProcess.directory == nil, ThisProcess.formerDirectory == nil {
            world.directoryFault = .usage(
                "The path of the working directory is not UTF-8. Change to another directory.")
        }
        world.openScreen = ScreenDevice.real
        world.catalogue = { Catalogue.find(ProcessEnvironment.current) }
        return world
    }

    private static func readDirectory() -> String {
        // A directory that was removed: Linux still has a name for it, but no file can be created there, as it should be.
        ThisProcess.directory ?? ThisProcess.formerDirectory ?? "/dev/null"
    }
}

extension ProcessEnvironment {
    /// The failure of the first variable with a path that is not UTF-8; `nil` if all paths are.
    fileprivate static var pathFault: TransferFailure? {
        do throws(TransferFailure) {
            for name in ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "LONGHAUL_CATALOGUES"] {
                try checkPath(name, in: current)
            }
            return nil
        } catch {
            return error
        }
    }
}

extension Console {
    fileprivate static func real() -> Console {
        let terminal = ThisProcess.variable("TERM") ?? "dumb"
        let canRedraw = Terminal.isTerminal(LentDescriptor.standardError) && !["", "dumb"].contains(terminal)
        let wantsNoColour = ThisProcess.variable("NO_COLOR")?.isEmpty == false
        return Console(
            writeOutput: writeOutput,
            // A closed standard error cannot show an error.
            writeError: { try? LentDescriptor.standardError.write($0) },
            isOutputTerminal: Terminal.isTerminal(LentDescriptor.standardOutput), canRedraw: canRedraw,
            usesColour: canRedraw && !wantsNoColour, size: readSize)
    }

    /// Writes directly to the descriptor: no buffered output is lost when the process is killed.
    private static func writeOutput(_ bytes: [UInt8]) {
        do throws(SystemError) {
            try LentDescriptor.standardOutput.write(bytes)
        } catch .brokenPipe {
            // No process reads any more: exit with the status of the signal.
            ThisProcess.end(128 + SignalNumber.brokenPipe)
        } catch {
            // A result that was lost is not a success.
            let reason = LocalFiles.reason(error)
            let failure = TransferFailure(.fileFailed, "Cannot write to standard output: \(reason).")
            try? LentDescriptor.standardError.write(ErrorLine.text(failure) + "\n")
            ThisProcess.end(ExitStatus(failure.code).number)
        }
    }

    private static func readSize() -> Size {
        let window = Terminal.size(of: LentDescriptor.standardError)
        let columns = window.flatMap { $0.columns > 0 ? $0.columns : nil }
        let rows = window.flatMap { $0.rows > 0 ? $0.rows : nil }
        let told = ThisProcess.variable("COLUMNS").flatMap { Int($0) }.map { min(max($0, 1), 10_000) }
        return Size(columns: columns ?? told ?? 80, rows: rows ?? 24)
    }
}
