import CTestSupport
import Glibc
import LonghaulCore

/// A private network of one test, with a loopback interface at first. It is removed with the value.
package final class NetworkNamespace: Sendable {
    /// Why it cannot be created; `nil` if it can.
    package static let missing: String? = {
        if let missing = Tools.missing("nftables", rules) ?? Tools.missing("iproute2", ip) { return missing }
        let result = try? ProgramCall(unshare, ["--net", ip, "link", "set", "lo", "up"]).run()
        return result?.ending == .exited(0) ? nil : "network namespaces require root and a kernel that supports them"
    }()

    private static let rules = "/usr/sbin/nft"
    private static let ip = "/usr/sbin/ip"
    private static let unshare = "/usr/bin/unshare"
    private let keeper: ChildProcess

    package var processID: Int32 { keeper.processID }

    /// `script` is run by a shell in the network, with private mounts.
    package init(_ script: String = "") throws {
        let whole = """
            set -e
            \(Self.ip) link set lo up
            \(script)
            echo ready
            exec sleep infinity
            """
        var call = ProgramCall(
            Self.unshare, ["--net", "--mount", "--propagation", "private", "/bin/sh", "-c", whole])
        call.environment = Self.environment
        keeper = try ChildProcess(call)
        try keeper.waitForOutput(containing: "ready")
    }

    private static let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

    /// `rule` is an nftables rule for all packets that pass `hook` (`input` or `output`).
    package convenience init(hook: String, rule: String = "") throws {
        try self.init(
            """
            \(Self.rules) add table inet test
            \(Self.rules) add chain inet test packets '{ type filter hook \(hook) priority 0; }'
            \(rule.isEmpty ? "" : "\(Self.rules) add rule inet test packets \(rule)")
            """)
    }

    /// Adds an nftables rule.
    package func add(rule: String) throws { try run("\(Self.rules) add rule inet test packets \(rule)") }

    /// Runs a blocking call on a thread in this network. Threads that the call starts are in it too.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await aside { try self.inside(body) }
    }

    /// Returns the same call in this network. Its child processes are in the network too.
    package func enter(_ call: ProgramCall) -> ProgramCall {
        var entering = call
        entering.path = "/usr/bin/nsenter"
        let namespaces = ["net", "mnt"].map { ($0 == "net" ? "--net" : "--mount") + "=/proc/\(processID)/ns/\($0)" }
        // The working directory is lost with the mounts.
        let change = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", call.directory ?? "/"]
        entering.arguments = namespaces + change + [call.path] + call.arguments
        entering.directory = nil
        return entering
    }

    /// Runs a shell script, which must succeed, and returns its output.
    @discardableResult
    package func run(_ script: String) throws -> String {
        let call = ProgramCall("/bin/sh", ["-ec", script], environment: Self.environment)
        let result = try enter(call).run()
        guard result.ending == .exited(0) else {
            throw TransferFailure(.internalFault, "\(script): \(result.errorOutput)")
        }
        return result.output
    }

    @discardableResult
    package func run(_ script: String) async throws -> String { try await aside { try self.run(script) } }

    /// Runs `body` on a thread in this network: a socket that it creates stays there.
    func inside<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
        let result = Monitor<Swift.Result<Result, any Error>?>(nil)
        let path = "/proc/\(processID)/ns/net"
        startThread {
            let entered = test_enter_network(path)
            let outcome = Swift.Result {
                guard entered == 0 else { throw TransferFailure(.internalFault, "cannot enter \(path): \(-entered)") }
                return try body()
            }
            result.update { $0 = outcome }
        }
        return try result.wait(for: "a socket in a network") { $0 }.get()
    }
}
