import Glibc
import LonghaulCore

/// The built programs with a separate home: no files of the user who runs the tests are read or changed.
package final class Product: Sendable {
    package let home: TemporaryDirectory
    /// The network of its programs, if it is not the test's own.
    private let network: NetworkNamespace?

    package init(in network: NetworkNamespace? = nil) throws {
        self.network = network
        home = try TemporaryDirectory()
        for name in ["run", "state", "work"] { try home.makeDirectory(name) }
        try home.write(Certificates.shared.authority.utf8, to: "ca.pem")
    }

    /// A service that a client started outlives the client, so all processes with this home are ended.
    deinit {
        while true {
            let left = processes
            guard !left.isEmpty else { break }
            for id in left { kill(id, SIGKILL) }
            // They are not children of this process, so no event reports their end.
            usleep(1_000)
        }
    }

    /// The environment of the programs. From the test's own environment, it has the variables that select a libcurl,
    /// but no proxies. If the tests' servers use TLS, the tests' own apps find their CA in `LONGHAUL_TEST_CA`.
    package var environment: [String: String] {
        var own = [
            "PATH": "\(Self.directory):/usr/bin:/bin", "HOME": home.path, "XDG_RUNTIME_DIR": home.path("run"),
            "XDG_STATE_HOME": home.path("state"), "LANG": "C.UTF-8", "TERM": "xterm",
        ]
        if Transport.current.isSecure { own["LONGHAUL_TEST_CA"] = caFile }
        return own.merging(Tools.environment.filter { ["LD_LIBRARY_PATH", "LONGHAUL_PATHS"].contains($0.key) }) { $1 }
    }

    /// Why the programs cannot be run; `nil` if they can.
    package static var missing: String? {
        ["longhaul", "longhauld"].lazy.compactMap { name in
            access("\(directory)/\(name)", X_OK) == 0 ? nil : "\(name) is not in \(directory): swift build makes it"
        }.first
    }

    /// The CA of the tests' servers.
    package var caFile: String { home.path("ca.pem") }

    /// Commands that create transfers and have network options.
    private static let transferring: Set<String> = ["download", "upload", "request"]

    /// Returns a call of `longhaul` or `longhauld` in this home; run it, or start it with `ChildProcess`. If the tests'
    /// servers use TLS, new transfers trust them.
    package func call(_ program: String, _ arguments: [String] = []) -> ProgramCall {
        var arguments = arguments
        if Transport.current.isSecure, program == "longhaul", Self.transferring.contains(arguments.first ?? "") {
            arguments.insert(contentsOf: ["--cacert", caFile], at: 1)
        }
        var call = ProgramCall("\(Self.directory)/\(program)", arguments, environment: environment)
        call.directory = home.path("work")
        return network?.enter(call) ?? call
    }

    /// Runs `longhaul` until it ends.
    package func longhaul(_ arguments: String..., limit: Duration = .patience) throws -> ProgramCall.Result {
        try call("longhaul", arguments).run(limit: limit)
    }

    package func longhaul(_ arguments: String..., limit: Duration = .patience) async throws -> ProgramCall.Result {
        try await call("longhaul", arguments).run(limit: limit)
    }

    /// Starts `longhauld` in the background.
    package func startService(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(call("longhauld", arguments))
    }

    /// Prevents that a service is reached or started: its socket is a circular link.
    package func keepServiceOut() throws {
        try home.makeDirectory("state/longhaul")
        guard symlink("socket", home.path("state/longhaul/socket")) == 0 else {
            throw TransferFailure(.internalFault, "cannot make a link: \(errno)")
        }
    }

    /// All processes with this home, no matter which process started them.
    package var processes: [Int32] { Self.processes(withHome: home.path) }

    /// The build directory of this test process.
    package static let directory: String = {
        // The runner is the test bundle itself, or a helper of the toolchain that got the bundle as an argument.
        for argument in [readLink("/proc/self/exe")] + CommandLine.arguments {
            let directory = argument.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            let path = directory.joined(separator: "/")
            if access("\(path)/longhauld", X_OK) == 0 { return path }
        }
        return "."
    }()

    private static func readLink(_ path: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink(path, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func processes(withHome home: String) -> [Int32] {
        let mark = Array("HOME=\(home)".utf8)
        return TemporaryDirectory.names(in: "/proc").compactMap(Int32.init).filter { id in
            guard let file = fopen("/proc/\(id)/environ", "re") else { return false }
            defer { fclose(file) }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = fread(&buffer, 1, buffer.count, file)
            return buffer[..<count].split(separator: 0).contains { $0.elementsEqual(mark) }
        }
    }
}
