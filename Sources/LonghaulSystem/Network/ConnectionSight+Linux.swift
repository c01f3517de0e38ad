import CLinux
import LonghaulCore

/// What the kernel knows of a TCP connection.
package struct ConnectionSight: Equatable, Sendable {
    /// The round trip as the sender sees it, in microseconds, and the shortest of the last minutes.
    package var roundTrip: Int64
    package var leastRoundTrip: Int64
    /// The round trip as the receiver sees it, in microseconds; 0 while it is not known. Only this one follows a download.
    package var receiverRoundTrip: Int64
    /// Milliseconds since data last arrived.
    package var receivePause: Int64
    /// Bytes in a packet that comes, and in one that leaves.
    package var receivedSegment: Int64
    package var sentSegment: Int64
    /// Bytes that have left, those that were sent again as often as they were.
    package var sent: Int64
    /// Bytes that the peer has acknowledged.
    package var acknowledged: Int64
    /// Bytes that have come.
    package var received: Int64
}

/// The bytes that a network interface has moved since it was made.
package struct InterfaceBytes: Equatable, Sendable {
    package var received: Int64
    package var sent: Int64
}

// What makes room for others on a network.
extension OpenFile {
    /// `nil` for what is no TCP connection.
    package var connectionSight: ConnectionSight? {
        var facts = longhaul_tcp_facts()
        guard longhaul_tcp_facts(number, &facts) == 0 else { return nil }
        return ConnectionSight(
            roundTrip: Int64(facts.round_trip), leastRoundTrip: Int64(facts.least_round_trip),
            receiverRoundTrip: Int64(facts.receiver_round_trip), receivePause: Int64(facts.receive_pause),
            receivedSegment: Int64(facts.received_segment),
            sentSegment: Int64(facts.sent_segment), sent: Int64(clamping: facts.sent),
            acknowledged: Int64(clamping: facts.acknowledged),
            received: Int64(clamping: facts.received))
    }

    /// What the interface has moved that a connection uses; `nil` for loopback.
    package var interfaceBytes: InterfaceBytes? {
        var received: UInt64 = 0
        var sent: UInt64 = 0
        guard longhaul_interface_bytes(number, &received, &sent) == 0 else { return nil }
        return InterfaceBytes(received: Int64(clamping: received), sent: Int64(clamping: sent))
    }

    /// Bounds the window that is offered to the peer, and so what it may have under way. To be used after the connection is made:
    /// before that, it would take away the window's scale for good.
    package func boundWindow(_ bytes: Int64) {
        _ = longhaul_set_window_clamp(number, Int32(clamping: bytes))
    }

    /// Bounds what the kernel keeps of bytes that nobody has read.
    package func boundReceiveBuffer(_ bytes: Int) {
        _ = longhaul_set_receive_buffer(number, Int32(clamping: bytes))
    }
}

extension Machine {
    /// Whether a window that was made small opens again. Before Linux 6.7 (its commit 58d3aade20cd, and the later ones of 6.6) one that was 0 at that moment
    /// stayed 0 for ever.
    package static let windowsReopen: Bool = {
        var version = [Int32](repeating: 0, count: 3)
        guard longhaul_kernel_version(&version) == 0 else { return false }
        return windowsReopen(major: version[0], minor: version[1], patch: version[2])
    }()

    static func windowsReopen(major: Int32, minor: Int32, patch: Int32) -> Bool {
        if major != 6 { return major > 6 }
        return minor > 6 || minor == 6 && patch >= 10
    }
}
