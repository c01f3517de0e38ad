import CPlatform
import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import SocketTestSupport
import TestSupport
import Testing

/// One service for one state directory: every program of the user finds it, regardless of its environment.
@Suite(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct ReachTests {
    private let product: Product

    init() throws {
        product = try Product()
    }

    private func serviceID(_ environment: [String: String]) async throws -> Int {
        try await ServiceConnection.open(startsService: true, environment: environment).status().processID
    }

    @Test func serviceIsFoundWithAnyRuntimeDirectory() async throws {
        let service = try await RunningService(in: product)
        try product.home.makeDirectory("elsewhere")
        for directory in [nil, product.home.path("elsewhere"), product.home.path("none/at/all"), "relative"] {
            var environment = product.environment
            environment["XDG_RUNTIME_DIR"] = directory
            #expect(try await serviceID(environment) == Int(service.process.processID), "\(directory ?? "not set")")
        }
    }

    @Test func serviceIsFoundFromCron() async throws {
        let home = ["HOME": product.home.path, "PATH": product.environment["PATH"] ?? ""]
        let first = try await serviceID(home.merging(["XDG_RUNTIME_DIR": product.home.path("run")]) { $1 })
        #expect(try await serviceID(home) == first)
    }

    @Test func serviceIsFoundWithoutRuntimeDirectory() async throws {
        let service = try await RunningService(in: product)
        #expect(rename(product.home.path("run"), product.home.path("gone")) == 0)
        #expect(try await serviceID(product.environment) == Int(service.process.processID))
        try product.home.makeDirectory("run")
        #expect(try await serviceID(product.environment) == Int(service.process.processID))
    }

    @Test func aCommandFindsItWhenTheRuntimeDirectoryIsGone() async throws {
        let service = try await RunningService(in: product)
        _ = try await service.connect().submit([.farAway()], to: .commandLine)
        #expect(rename(product.home.path("run"), product.home.path("gone")) == 0)
        let list = try await product.longhaul("list")
        #expect(list.ending == .exited(0), "\(list.errorOutput)")
        #expect(list.output.contains("waiting"), "\(list.output)")
    }

    @Test func serviceIsFoundAtLongPath() async throws {
        var environment = product.environment
        var place = product.home.path
        for _ in 1...3 {
            place += "/" + String(repeating: "d", count: 100)
            #expect(mkdir(place, 0o700) == 0)
        }
        environment["XDG_STATE_HOME"] = place
        let first = try await serviceID(environment)
        #expect(try await serviceID(environment) == first)
        var status = stat()
        #expect(lstat(place + "/longhaul/socket", &status) == 0)
        #expect(status.st_mode == S_IFSOCK | 0o600)
    }

    @Test func aSocketThatIsRemovedIsMadeAgain() async throws {
        let service = try await RunningService(in: product)
        let held = try await service.connect()
        #expect(unlink(service.socketPath) == 0)
        try await service.process.waitForOutput(containing: "the socket was gone and is made again")
        #expect(try await serviceID(product.environment) == Int(service.process.processID))
        #expect(try await held.status().processID == Int(service.process.processID), "the open connection still works")
        #expect(rename(product.home.path("run"), service.socketPath) != 0, "a directory does not take its place")
        try product.home.write([], to: "file")
        #expect(rename(product.home.path("file"), service.socketPath) == 0)
        // The log has this line once already.
        var status = stat()
        while lstat(service.socketPath, &status) != 0 || status.st_mode & S_IFMT != S_IFSOCK {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await serviceID(product.environment) == Int(service.process.processID))
    }

    @Test(.enabled(if: PreloadedLibrary.missing == nil, "\(PreloadedLibrary.missing ?? "")"))
    func addressFileReplacesUnsupportedSocket() async throws {
        let library = try await PreloadedLibrary(
            """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <errno.h>
            #include <string.h>
            #include <sys/socket.h>
            #include <sys/un.h>
            int bind(int fd, const struct sockaddr *to, socklen_t length) {
                const struct sockaddr_un *name = (const void *)to;
                if (to->sa_family == AF_UNIX && strstr(name->sun_path, "/state/")) return errno = EPERM, -1;
                return ((int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "bind"))(fd, to, length);
            }
            """, named: "nosockets", in: product.home)
        let service = try await RunningService(in: product, variables: library.variables)
        #expect(!product.home.exists("state/longhaul/socket"))
        let address = String(decoding: try product.home.read("state/longhaul/socket.address").dropLast(), as: UTF8.self)
        #expect(try await serviceID(product.environment) == Int(service.process.processID))
        service.process.signal(SIGKILL)
        try await service.process.waitForEnd()
        let next = try await RunningService(in: product, variables: library.variables)
        #expect(access(address, F_OK) != 0, "the orphaned socket is removed")
        #expect(try await serviceID(product.environment) == Int(next.process.processID))
        next.process.signal(SIGTERM)
        #expect(try await next.process.waitForEnd() == .exited(0))
        #expect(!product.home.exists("state/longhaul/socket.address"))
    }

    @Test(.enabled(if: getuid() == 0, "only root can give a directory away"))
    func theRuntimeDirectoryThatSuLeavesBehindIsNotUsed() async throws {
        try product.home.makeDirectory("foreign")
        #expect(chown(product.home.path("foreign"), 12_345, 12_345) == 0)
        var environment = product.environment
        environment["XDG_RUNTIME_DIR"] = product.home.path("foreign")
        let first = try await serviceID(environment)
        #expect(try await serviceID(product.environment) == first)
        #expect(product.home.names("foreign").isEmpty)
    }

    /// Simulates a container with namespaces, and the state directory at another path.
    @Test(.enabled(if: getuid() == 0, "only root can make namespaces everywhere"))
    func containerWithTheStateDirectoryReachesTheService() async throws {
        let service = try await RunningService(in: product)
        try product.home.makeDirectory("shared")
        // The programs stay visible wherever the checkout is, even below /tmp.
        let script = """
            mount --bind state shared && mount -t tmpfs none state && mount -t tmpfs none run &&
            mount -t tmpfs none /run || exit 77
            exec env -i HOME="$PWD" XDG_STATE_HOME="$PWD/shared" "$1" service status
            """
        var call = ProgramCall(
            "/usr/bin/unshare",
            [
                "-mnpf", "--propagation", "private", "/bin/sh", "-c", script, "sh", "\(Product.directory)/longhaul",
            ], environment: product.environment)
        call.directory = product.home.path
        let result = try await call.run()
        if result.ending == .exited(77) || result.errorOutput.hasPrefix("unshare: ") {
            try Test.cancel("no namespaces here: \(result.errorOutput)")
        }
        #expect(result.output.contains("process \(service.process.processID),"), "\(result.errorOutput)")
    }

    @Test func aServiceThatIsNotToBeReachedIsNamed() async throws {
        try PrivateDirectory.create(product.home.path("state/longhaul"), mayTighten: true)
        let lock = Descriptor(
            open(product.home.path("state/longhaul/service.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
        #expect(longhaul_lock_exclusive(lock.number) == 0)
        ServiceTraces.sign(lock)
        let error = await #expect(throws: TransferFailure.self) { try await serviceID(product.environment) }
        withExtendedLifetime(lock) {}
        #expect(error?.code == .serviceUnavailable)
        if error?.message.contains("did not answer within") ?? false {
            try Test.cancel("a busy machine: the program was out of patience before the service that it started")
        }
        #expect(error?.message.hasPrefix("Another longhauld (process \(getpid()) on ") ?? false, "\(error as Any)")
    }
}

/// A service that systemd started beside one that a program had started.
@Suite(
    .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"),
    .enabled(if: access("/usr/bin/systemd-socket-activate", X_OK) == 0, "systemd-socket-activate is not installed"))
struct StandbyTests {
    private let product: Product

    init() throws {
        product = try Product()
    }

    /// Returns a service that has reported that it waits. The client that caused its start is connected.
    private func standby() async throws -> (process: ChildProcess, client: RawClient) {
        try product.home.makeDirectory("run/longhaul")
        let path = product.home.path("run/longhaul/socket")
        let settings = product.environment.flatMap { ["-E", $0 + "=" + $1] }
        let process = try ChildProcess(
            ProgramCall(
                "/bin/sh",
                ["-c", "exec \"$@\" 2>&1", "sh", "/usr/bin/systemd-socket-activate", "-l", path] + settings
                    + ["\(Product.directory)/longhauld", "--idle-exit", "0"],
                environment: product.environment))
        try await process.waitForOutput(containing: "Listening on")
        let client = try RawClient(path: path)
        try await process.waitForOutput(containing: "waiting for its end")
        return (process, client)
    }

    @Test func standbyReplacesKilledService() async throws {
        let first = try await RunningService(in: product)
        let (process, client) = try await standby()
        let found = try await ServiceConnection.open(startsService: true, environment: product.environment).status()
        #expect(found.processID == Int(first.process.processID), "the one that runs is found")
        first.process.signal(SIGKILL)
        try await first.process.waitForEnd()
        try await process.waitForOutput(containing: "longhauld: started ")
        let status = try await ServiceConnection.open(startsService: true, environment: product.environment).status()
        #expect(status.processID == Int(process.processID) && status.isSocketActivated)
        withExtendedLifetime(client) {}
    }

    @Test func waitingStandbyCanBeStopped() async throws {
        let first = try await RunningService(in: product)
        let (process, client) = try await standby()
        process.signal(SIGTERM)
        #expect(try await process.waitForEnd() == .exited(0))
        withExtendedLifetime((first, client)) {}
    }
}
