import Glibc
import LonghaulCore

/// The built programs, with a home of their own: nothing of the person who runs the tests is read or touched.
package final class Product: Sendable {
    package let home: TemporaryDirectory
    /// Where its programs run, if not in the test's own network.
    private let network: NetworkNamespace?

    package init(in network: NetworkNamespace? = nil) throws {
        self.network = network
        home = try TemporaryDirectory()
        for name in ["run", "state", "work"] { try home.makeDirectory(name) }
        try home.write(Certificates.shared.authority.utf8, to: "ca.pem")
    }

    /// A service that a client started outlives the client, so everything that runs with this home is ended with it.
    deinit {
        while true {
            let left = processes
            guard !left.isEmpty else { break }
            for id in left { kill(id, SIGKILL) }
            // They are nobody's children here, so nothing tells when they are gone.
            usleep(1_000)
        }
    }

    /// What the programs see. Of the test's own environment it has what decides about libcurl, and so no proxies. The tests'
    /// own apps find the authority of the tests' servers in `LONGHAUL_TEST_CA` where these speak TLS.
    package var environment: [String: String] {
        var own = [
            "PATH": "\(Self.directory):/usr/bin:/bin", "HOME": home.path, "XDG_RUNTIME_DIR": home.path("run"),
            "XDG_STATE_HOME": home.path("state"), "LANG": "C.UTF-8", "TERM": "xterm",
        ]
        if Transport.current.isSecure { own["LONGHAUL_TEST_CA"] = caFile }
        return own.merging(Tools.environment.filter { ["LD_LIBRARY_PATH", "LONGHAUL_PATHS"].contains($0.key) }) { $1 }
    }

    /// Why the programs cannot be run; `nil` when they can.
    package static var missing: String? {
        ["longhaul", "longhauld"].lazy.compactMap { name in
            access("\(directory)/\(name)", X_OK) == 0 ? nil : "\(name) is not in \(directory): swift build makes it"
        }.first
    }

    /// The authority that vouches for the tests' servers.
    package var caFile: String { home.path("ca.pem") }

    /// Commands that make transfers, and have options of the network.
    private static let transferring: Set<String> = ["download", "upload", "request"]

    /// A call of `longhaul` or `longhauld` in this home; run it, or start it with `ChildProcess`. New transfers trust the
    /// tests' servers where these speak TLS.
    package func call(_ program: String, _ arguments: [String] = []) -> ProgramCall {
        var arguments = arguments
        if Transport.current.isSecure, program == "longhaul", Self.transferring.contains(arguments.first ?? "") {
            arguments.insert(contentsOf: ["--cacert", caFile], at: 1)
        }
        var call = ProgramCall("\(Self.directory)/\(program)", arguments, environment: environment)
        call.directory = home.path("work")
        return network?.enter(call) ?? call
    }

    /// Runs `longhaul` to its end.
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

    /// Sees to it that no service can be reached or started: its socket's name leads round in a circle.
    package func keepServiceOut() throws {
        try home.makeDirectory("state/longhaul")
        guard symlink("socket", home.path("state/longhaul/socket")) == 0 else {
            throw TransferFailure(.internalFault, "cannot make a link: \(errno)")
        }
    }

    /// Every process that runs with this home, whoever started it.
    package var processes: [Int32] { Self.processes(withHome: home.path) }

    /// Where this test process was built to.
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
