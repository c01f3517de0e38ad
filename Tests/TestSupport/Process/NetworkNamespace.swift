import Glibc
import LonghaulCore

/// A network of one test: a loopback interface with rules of its own, which nobody else sees. It goes with the value.
package final class NetworkNamespace: Sendable {
    /// Why none can be made; `nil` when one can.
    package static let missing: String? = {
        if let missing = Tools.missing("nftables", rules) ?? Tools.missing("iproute2", ip) { return missing }
        let result = try? ProgramCall(unshare, ["--net", ip, "link", "set", "lo", "up"]).run()
        return result?.ending == .exited(0) ? nil : "a network namespace takes root and a kernel that has them"
    }()

    private static let rules = "/usr/sbin/nft"
    private static let ip = "/usr/sbin/ip"
    private static let unshare = "/usr/bin/unshare"
    private let keeper: ChildProcess

    /// `rule` is one of nftables, for all packets that pass `hook` (`input` or `output`).
    package init(hook: String, rule: String) throws {
        let script = """
            set -e
            \(Self.ip) link set lo up
            \(Self.rules) add table inet test
            \(Self.rules) add chain inet test packets '{ type filter hook \(hook) priority 0; }'
            \(Self.rules) add rule inet test packets \(rule)
            echo ready
            exec sleep infinity
            """
        keeper = try ChildProcess(ProgramCall(Self.unshare, ["--net", "/bin/sh", "-c", script]))
        try keeper.waitForOutput(containing: "ready")
    }

    /// The same call in this network. What it starts is there as well.
    package func enter(_ call: ProgramCall) -> ProgramCall {
        var entering = call
        entering.path = "/usr/bin/nsenter"
        entering.arguments = ["--net=/proc/\(keeper.processID)/ns/net", call.path] + call.arguments
        return entering
    }
}
