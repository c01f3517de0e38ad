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
    /// Prompts for a yes on the terminal; an empty line means yes too.
    package var confirm: @Sendable (_ question: String) throws(TransferFailure) -> Bool
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

    package init(
        environment: [String: String], directory: String, console: Console, input: Int32,
        now: @escaping @Sendable () -> WallTime, random: @escaping @Sendable () -> UInt64,
        pause: @escaping @Sendable (Duration) async -> Void, signals: @escaping @Sendable () -> AsyncStream<Signal>,
        connect: @escaping @Sendable (Bool) async throws(TransferFailure) -> any TransferService,
        locateService: @escaping @Sendable () throws(TransferFailure) -> String,
        inspect: @escaping @Sendable (String, SessionID) throws(TransferFailure) -> SourceFile,
        stage: @escaping @Sendable (Int32, SessionID) throws(TransferFailure) -> SourceFile,
        promptPassword: @escaping @Sendable (String) throws(TransferFailure) -> String,
        confirm: @escaping @Sendable (String) throws(TransferFailure) -> Bool,
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

    /// Returns the absolute path that the service must get.
    func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        return directory == "/" ? "/" + path : directory + "/" + path
    }

    func localTime(_ instant: WallTime) -> String {
        TimeText.local(instant, offset: zone(instant))
    }
}
