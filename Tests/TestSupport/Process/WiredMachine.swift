import LonghaulCore

/// The network of a machine with one wire (`wire`) to a server's machine. Programs run on the first machine, and
/// servers are created on the second one, which is the first one's gateway and only name server.
package final class WiredMachine: Sendable {
    package static let ownAddress = "10.77.0.2"
    package static let serverAddress = "10.77.0.1"

    package let own: NetworkNamespace
    package let far: NetworkNamespace
    private let directory: TemporaryDirectory

    package init() throws {
        far = try NetworkNamespace()
        directory = try TemporaryDirectory()
        try directory.write("nameserver \(Self.serverAddress)\n".utf8, to: "resolv.conf")
        try directory.write("hosts: files dns\n".utf8, to: "nsswitch.conf")
        own = try NetworkNamespace(
            """
            mount --bind \(directory.path("resolv.conf")) "$(readlink -f /etc/resolv.conf)"
            mount --bind \(directory.path("nsswitch.conf")) /etc/nsswitch.conf
            ip link add wire type veth peer name wire netns \(far.processID)
            ip addr add \(Self.ownAddress)/24 dev wire
            ip link set wire up
            """)
        try far.run("ip addr add \(Self.serverAddress)/24 dev wire; ip link set wire up")
        try own.run("ip route add default via \(Self.serverAddress)")
    }
}
