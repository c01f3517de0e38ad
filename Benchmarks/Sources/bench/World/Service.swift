import Foundation
import Glibc

/// `longhauld` with a separate home, and `longhaul` to control it.
final class Service {
    let place: Place
    private(set) var pid: pid_t = 0
    let environment: [String: String]
    private let home: String
    /// The words before its command.
    private let entering: [String]

    /// Creates the home; `start` starts the service.
    init(_ place: Place, entering: [String] = []) throws {
        self.place = place
        self.entering = entering
        home = place.path + "/home"
        try? FileManager.default.removeItem(atPath: home)
        for name in ["run", "state"] { try place.makeDirectory(home + "/" + name) }
        chmod(home + "/run", 0o700)
        var environment = ProcessInfo.processInfo.environment
        environment["XDG_RUNTIME_DIR"] = home + "/run"
        environment["XDG_STATE_HOME"] = home + "/state"
        environment["PATH"] = place.products + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        environment["DBUS_SESSION_BUS_ADDRESS"] = nil
        self.environment = environment
    }

    static func running(_ place: Place, total: Int = 16, perHost: Int = 16) throws -> Service {
        let service = try Service(place)
        try service.start()
        _ = try service.longhaul(["limits", "--total", "\(total)", "--per-host", "\(perHost)"]).measure()
        return service
    }

    var meter: ProcessMeter { ProcessMeter(pid: pid) }

    func start() throws {
        pid = try ChildRun(
            arguments: entering + [
                "/bin/sh", "-c", "exec \"$0\" --idle-exit 0 2>>\"$1\"", place.products + "/longhauld",
                place.path + "/longhauld.log",
            ],
            environment: environment
        ).start()
        for _ in 0..<1000 {
            if access(home + "/state/longhaul/socket", F_OK) == 0 { return }
            usleep(1000)
        }
        throw BenchFailure("longhauld did not start")
    }

    func end(_ signal: Int32 = SIGTERM) {
        guard pid > 0 else { return }
        kill(pid, signal)
        waitpid(pid, nil, 0)
        unlink(home + "/state/longhaul/socket")
        pid = 0
    }

    func longhaul(_ arguments: [String], output: String? = nil) -> ChildRun {
        ChildRun(arguments: [place.products + "/longhaul"] + arguments, environment: environment, output: output)
    }

    func probe(_ arguments: [String], output: String? = nil) -> ChildRun {
        ChildRun(arguments: [place.products + "/session-probe"] + arguments, environment: environment, output: output)
    }

    /// Runs `longhaul` until it ends, and adds the service's resources.
    func measure(_ arguments: [String]) throws -> Sample {
        let service = meter
        service.forgetPeak()
        let before = service.cpu
        var sample = try longhaul(arguments).measure()
        sample.cpu += service.cpu - before
        sample.memory += service.peak
        return sample
    }

    /// Forgets all ended transfers, so that earlier runs slow none down.
    func forget() throws {
        _ = try? longhaul(["remove", "--all", "--quiet"]).measure()
    }
}
