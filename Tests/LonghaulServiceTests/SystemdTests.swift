import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import TestSupport
import Testing

@Suite(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct SystemdTests {
    private let product: Product

    init() throws {
        product = try Product()
    }

    @Test(arguments: [true, false]) func serviceNotifiesSystemdOfItsState(_ isAbstract: Bool) async throws {
        let name = isAbstract ? "@\(product.home.path)/notify" : product.home.path("notify")
        let notify = NotifySocket(name: name)
        var call = product.call("longhauld")
        call.environment["NOTIFY_SOCKET"] = name
        call.environment["WATCHDOG_USEC"] = "100000"
        let process = try ChildProcess(call)
        _ = try await notify.messages.next { $0.hasPrefix("READY=1\nSTATUS=") }
        for _ in 1...3 { _ = try await notify.messages.next { $0 == "WATCHDOG=1" } }
        process.signal(SIGTERM)
        _ = try await notify.messages.next { $0.hasPrefix("STOPPING=1") }
        #expect(try await process.waitForEnd() == .exited(0))
    }

    @Test func aWatchdogThatIsMeantForAnotherProcessIsNotFed() async throws {
        let notify = NotifySocket(name: product.home.path("notify"))
        var call = product.call("longhauld")
        call.environment["NOTIFY_SOCKET"] = product.home.path("notify")
        call.environment["WATCHDOG_USEC"] = "1000"
        call.environment["WATCHDOG_PID"] = "1"
        let process = try ChildProcess(call)
        _ = try await notify.messages.next { $0.hasPrefix("READY=1") }
        process.signal(SIGTERM)
        _ = try await notify.messages.next { $0.hasPrefix("STOPPING=1") }
        #expect(!notify.messages.all.contains("WATCHDOG=1"))
    }

    @Test(
        .enabled(if: access("/usr/bin/systemd-socket-activate", X_OK) == 0, "systemd-socket-activate is not installed"))
    func serviceUsesSystemdSocket() async throws {
        try product.home.makeDirectory("run/longhaul")
        let socket = product.home.path("run/longhaul/socket")
        let settings = product.environment.flatMap { ["-E", $0 + "=" + $1] }
        let activator = try ChildProcess(
            ProgramCall(
                "/bin/sh",
                ["-c", "exec \"$@\" 2>&1", "sh", "/usr/bin/systemd-socket-activate", "-l", socket] + settings
                    + ["\(Product.directory)/longhauld", "--idle-exit", "1"],
                environment: product.environment))
        try await activator.waitForOutput(containing: "Listening on")
        let status = try await ServiceConnection.open(startsService: true, environment: product.environment).status()
        #expect(status.isSocketActivated)
        #expect(status.processID == Int(activator.processID))
        #expect(try await activator.waitForEnd() == .exited(0))
        #expect(product.home.exists("run/longhaul/socket"), "the socket is systemd's")
    }

    @Test func aSocketThatIsMeantForAnotherProcessIsNotTaken() async throws {
        var call = product.call("longhauld", ["--idle-exit", "1"])
        call.environment["LISTEN_PID"] = "1"
        call.environment["LISTEN_FDS"] = "1"
        #expect(try await call.run().ending == .exited(0))
    }

    /// An app that is not running, started by a real user manager: as a unit, and by command.
    @Test func appsAreWokenByAUserManager() async throws {
        try await run("check-waking", ["\(Product.directory)/longhauld", "\(Product.directory)/WakeSample"])
    }

    /// The units under a real user manager: activation, sandbox, restart, watchdog, stop.
    @Test func theUnitsWorkUnderAUserManager() async throws {
        try await run("check-user-units", ["\(Product.directory)/longhauld"])
    }

    /// The fate of transfers at the last logout and after a reboot, with a real logind, in a container.
    @Test func logoutAndRebootBehaveAsDocumented() async throws {
        try await run(
            "check-logout", ["\(Product.directory)/longhauld", "\(Product.directory)/longhaul"], limit: .seconds(1_200))
    }

    private func run(_ check: String, _ arguments: [String], limit: Duration = .patience) async throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let result = try await ProgramCall("\(root)/packaging/systemd/\(check)", arguments).run(limit: limit)
        let lastLine = result.output.split(separator: "\n").last.map(String.init) ?? ""
        if result.ending == .exited(77) { try Test.cancel("\(lastLine)") }
        #expect(result.ending == .exited(0), "\(result.output)\(result.errorOutput)")
    }
}
