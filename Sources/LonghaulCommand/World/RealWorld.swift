import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC

extension World {
    /// This process, this terminal, this user's service.
    package static func real() -> World {
        World(
            environment: ProcessEnvironment.current, directory: readDirectory(), console: .real(), input: STDIN_FILENO,
            now: readClock, random: { UInt64.random(in: .min ... .max) },
            // A cancelled pause has done its work.
            pause: { span in try? await Task.sleep(for: .microseconds(span.microseconds)) },
            signals: Signal.stream,
            connect: { startsService throws(TransferFailure) in
                try await ServiceConnection.open(startsService: startsService)
            },
            locateService: { () throws(TransferFailure) in
                try ServiceProgram(environment: ProcessEnvironment.current).locate()
            },
            inspect: { path throws(TransferFailure) in try SourceFile.inspect(path: path) },
            stage: { descriptor, session throws(TransferFailure) in
                try StagedBody.stage(descriptor: descriptor, for: session)
            },
            askPassword: PasswordPrompt.ask, confirm: Confirmation.ask,
            perform: { UserProgram.run($0, environment: ProcessEnvironment.current) },
            examineLogout: { LogoutExamination(environment: ProcessEnvironment.current) }, zone: readZone)
    }

    private static func readClock() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    private static func readZone(_ instant: WallTime) -> Int {
        var seconds = time_t(instant.seconds)
        var parts = tm()
        return localtime_r(&seconds, &parts) == nil ? 0 : parts.tm_gmtoff
    }

    private static func readDirectory() -> String {
        if let path = getcwd(nil, 0) {
            defer { free(path) }
            return String(cString: path)
        }
        // It was removed. What Linux still calls it leads nowhere, as what is meant to go into it should.
        var name = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/cwd", &name, name.count)
        return count > 0 ? String(decoding: name[..<count], as: UTF8.self) : "/nowhere"
    }
}

extension Console {
    fileprivate static func real() -> Console {
        let terminal = getenv("TERM").map { String(cString: $0) } ?? "dumb"
        let canRedraw = isatty(STDERR_FILENO) == 1 && !["", "dumb"].contains(terminal)
        let wantsNoColour = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        return Console(
            writeOutput: { writeAll($0, to: STDOUT_FILENO) }, writeError: { writeAll($0, to: STDERR_FILENO) },
            isOutputTerminal: isatty(STDOUT_FILENO) == 1, canRedraw: canRedraw,
            usesColour: canRedraw && !wantsNoColour, size: readSize)
    }

    /// Straight to the descriptor: nothing is lost in a buffer when the process is killed.
    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno == EPIPE && descriptor == STDOUT_FILENO {
                // Nobody reads any more: end as the signal would have ended us.
                _exit(128 + SIGPIPE)
            } else if errno != EINTR {
                guard descriptor == STDOUT_FILENO else { return }
                // A result that was lost is no success.
                let reason = LocalFiles.reason(errno)
                let failure = TransferFailure(.fileFailed, "standard output cannot be written: \(reason)")
                writeAll(Array((ErrorLine.text(failure) + "\n").utf8), to: STDERR_FILENO)
                _exit(ExitStatus(failure.code).number)
            }
        }
    }

    private static func readSize() -> Size {
        var window = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &window) == 0
        let columns = isKnown && window.ws_col > 0 ? Int(window.ws_col) : nil
        let told = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }.map { min(max($0, 1), 10_000) }
        return Size(
            columns: columns ?? told ?? 80, rows: isKnown && window.ws_row > 0 ? Int(window.ws_row) : 24)
    }
}
