import LonghaulCore
import TestSupport

/// The kernel's limits for the sockets of one port, as `ss` shows them.
struct SocketMemory: CustomStringConvertible {
    /// SO_SNDBUF of whoever sends, and SO_RCVBUF of whoever receives.
    var sender: Int64 = 0
    var receiver: Int64 = 0

    var total: Int64 { sender + receiver }
    var description: String { "\(total) (sender \(sender), receiver \(receiver))" }

    /// The largest that are found at this moment. `toPort`: the port receives; else it sends.
    static func found(port: Int, toPort: Bool) async throws -> SocketMemory {
        func lines(_ end: String) async throws -> [Substring] {
            try await ProgramCall("/usr/bin/ss", ["-tmnHO", "\(end) = :\(port)"]).run().output.split(separator: "\n")
        }
        let (there, here) = (try await lines("sport"), try await lines("dport"))
        return SocketMemory(
            sender: largest("tb", in: toPort ? here : there), receiver: largest("rb", in: toPort ? there : here))
    }

    mutating func widen(_ other: SocketMemory) {
        sender = max(sender, other.sender)
        receiver = max(receiver, other.receiver)
    }

    private static func largest(_ name: String, in lines: [Substring]) -> Int64 {
        lines.map(String.init).compactMap { line in
            line.range(after: ",\(name)").flatMap { Int64(line[$0...].prefix { $0.isNumber }) }
        }.max() ?? 0
    }
}
