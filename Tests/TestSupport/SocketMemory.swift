/// The kernel's limits for the sockets of one port, as `ss` shows them.
package struct SocketMemory: Sendable, CustomStringConvertible {
    /// SO_SNDBUF of the sender, and SO_RCVBUF of the receiver.
    package var sender: Int64 = 0
    package var receiver: Int64 = 0

    package var total: Int64 { sender + receiver }
    package var description: String { "\(total) (sender \(sender), receiver \(receiver))" }

    package init() {}

    /// Returns the largest values at this moment. `toPort`: the port receives; otherwise it sends.
    package static func found(port: Int, toPort: Bool) async throws -> SocketMemory {
        func lines(_ end: String) async throws -> [Substring] {
            try await ProgramCall("/usr/bin/ss", ["-tmnHO", "\(end) = :\(port)"]).run().output.split(separator: "\n")
        }
        let (there, here) = (try await lines("sport"), try await lines("dport"))
        var memory = SocketMemory()
        memory.sender = largest("tb", in: toPort ? here : there)
        memory.receiver = largest("rb", in: toPort ? there : here)
        return memory
    }

    package mutating func widen(_ other: SocketMemory) {
        sender = max(sender, other.sender)
        receiver = max(receiver, other.receiver)
    }

    /// The fields of one socket are `skmem:(r0,rb131072,t0,tb2626560,…)`.
    private static func largest(_ name: String, in lines: [Substring]) -> Int64 {
        let fields = lines.flatMap { $0.split { "(,)".contains($0) } }
        return fields.filter { $0.hasPrefix(name) }.compactMap { Int64($0.dropFirst(name.count)) }.max() ?? 0
    }
}
