package import LonghaulCore

/// The environment of the command as values, so that a test can replace any of them.
package struct World: Sendable {
    package var environment: [String: String]
    /// The absolute path of the directory for relative paths.
    package var directory: String
    package var console: Console
    /// The descriptor behind the operand `-`.
    package var input: Int32
    package var now: @Sendable () -> WallTime
    package var random: @Sendable () -> UInt64
    /// Waits; returns early when the task is cancelled.
    package var pause: @Sendable (Duration) async -> Void
    /// Starts to deliver signals. Before it is called, they have their usual effect.
    package var signals: @Sendable () -> AsyncStream<Signal>
    /// Connects to the service, starting it first if requested.
    package var connect: @Sendable (_ startsService: Bool) async throws(TransferFailure) -> any TransferService
    /// Returns the path of the service's program. Fails if it cannot be found.
    package var locateService: @Sendable () throws(TransferFailure) -> String
    /// Pins a file, or copies it into the session.
    package var inspect: @Sendable (_ path: String, SessionID) throws(TransferFailure) -> SourceFile
    /// Copies all bytes of a descriptor into the session.
    package var stage: @Sendable (_ descriptor: Int32, SessionID) throws(TransferFailure) -> SourceFile
    /// Prompts for a password on the terminal, without echo.
    package var promptPassword: @Sendable (_ prompt: String) throws(TransferFailure) -> String
    /// Prompts for a yes or a no on the terminal.
    package var confirm: @Sendable (_ question: String, _ emptyMeans: Bool) throws(TransferFailure) -> Bool
    /// Runs a program of the system for this user, and returns its exit status.
    package var perform: @Sendable (_ command: [String]) -> Int32
    package var examineLogout: @Sendable () -> LogoutExamination
    /// Returns the offset from UTC in seconds at that time.
    package var zone: @Sendable (WallTime) -> Int
    /// Takes the terminal to draw on its whole screen; `nil` if there is none.
    package var openScreen: @Sendable () -> ScreenDevice? = { nil }
    /// Returns the texts in the user's language; `nil` for English.
    var catalogue: @Sendable () -> Catalogue? = { nil }
    /// The descriptor to which `-o -` writes.
    package var output: Int32 = 1
    /// The umask.
    package var creationMask = 0o022
    /// Why the environment cannot be used; `nil` if it can.
    package var environmentFault: TransferFailure?
    /// Why relative paths cannot be used; `nil` if they can.
    package var directoryFault: TransferFailure?

    package init(
        environment: [String: String], directory: String, console: Console, input: Int32,
        now: @escaping @Sendable () -> WallTime, random: @escaping @Sendable () -> UInt64,
        pause: @escaping @Sendable (Duration) async -> Void, signals: @escaping @Sendable () -> AsyncStream<Signal>,
        connect: @escaping @Sendable (Bool) async throws(TransferFailure) -> any TransferService,
        locateService: @escaping @Sendable () throws(TransferFailure) -> String,
        inspect: @escaping @Sendable (String, SessionID) throws(TransferFailure) -> SourceFile,
        stage: @escaping @Sendable (Int32, SessionID) throws(TransferFailure) -> SourceFile,
        promptPassword: @escaping @Sendable (String) throws(TransferFailure) -> String,
        confirm: @escaping @Sendable (String, Bool) throws(TransferFailure) -> Bool,
        perform: @escaping @Sendable ([String]) -> Int32, examineLogout: @escaping @Sendable () -> LogoutExamination,
        zone: @escaping @Sendable (WallTime) -> Int
    ) {
        self.environment = environment
        self.directory = directory
        self.console = console
        self.input = input
        self.now = now
        self.random = random
        self.pause = pause
        self.signals = signals
        self.connect = connect
        self.locateService = locateService
        self.inspect = inspect
        self.stage = stage
        self.promptPassword = promptPassword
        self.confirm = confirm
        self.perform = perform
        self.examineLogout = examineLogout
        self.zone = zone
    }

    /// Asks a question that yes or no answers; a terminal gets it wrapped.
    func asks(_ question: String, emptyMeans answer: Bool) throws(TransferFailure) -> Bool {
        let lines = console.wrapped(question + (answer ? " [Y/n]" : " [y/N]"))
        return try confirm(lines.joined(separator: "\n") + " ", answer)
    }

    /// Returns the absolute path that the service must get, without `.` and `..` where that cannot change the file.
    func absolute(_ path: String) -> String {
        let whole = path.hasPrefix("/") ? path : directory == "/" ? "/" + path : directory + "/" + path
        guard path.utf8.contains(UInt8(ascii: ".")) else { return whole }
        let names = whole.split(separator: "/")
        guard names.contains(where: { $0 == "." || $0 == ".." }) else { return whole }
        let end = whole.hasSuffix("/") ? "/" : ""
        var short = ""
        for name in names where name != "." {
            // The parent of a symbolic link's target is elsewhere.
            if name == "..", LocalFiles.isRealDirectory(short.isEmpty ? "/" : short) {
                short = String(short[..<(short.lastIndex(of: "/") ?? short.startIndex)])
            } else {
                short += "/\(name)"
            }
        }
        return short.isEmpty ? "/" : short + end
    }

    func localTime(_ instant: WallTime) -> String {
        TimeText.local(instant, offset: zone(instant))
    }
}
