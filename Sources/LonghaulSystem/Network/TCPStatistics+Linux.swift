#if os(Linux)
    import CPlatform
    import LonghaulCore

    /// The kernel's measurements of a TCP connection.
    package struct TCPStatistics: Equatable, Sendable {
        /// The round trip time as the sender measures it, in microseconds, and the shortest of the last minutes.
        package var roundTrip: Int64
        package var leastRoundTrip: Int64
        /// The round trip time as the receiver measures it, in microseconds; 0 while it is unknown. Only this value is
        /// updated during a download.
        package var receiverRoundTrip: Int64
        /// Milliseconds since data last arrived.
        package var receivePause: Int64
        /// Bytes in a received packet, and in a sent one.
        package var receivedSegment: Int64
        package var sentSegment: Int64
        /// Bytes sent; retransmitted bytes count each time.
        package var sent: Int64
        /// Bytes that the peer has acknowledged.
        package var acknowledged: Int64
        /// Bytes received.
        package var received: Int64
    }

    /// The bytes of a network interface since its creation.
    package struct InterfaceBytes: Equatable, Sendable {
        package var received: Int64
        package var sent: Int64
    }

    // Calls for yielding to other traffic.
    extension OpenFile {
        /// The measurements; `nil` if the file is not a TCP connection.
        package var connectionSight: TCPStatistics? {
            var facts = longhaul_tcp_facts()
            guard longhaul_tcp_facts(number, &facts) == 0 else { return nil }
            return TCPStatistics(
                roundTrip: Int64(facts.round_trip), leastRoundTrip: Int64(facts.least_round_trip),
                receiverRoundTrip: Int64(facts.receiver_round_trip), receivePause: Int64(facts.receive_pause),
                receivedSegment: Int64(facts.received_segment),
                sentSegment: Int64(facts.sent_segment), sent: Int64(clamping: facts.sent),
                acknowledged: Int64(clamping: facts.acknowledged),
                received: Int64(clamping: facts.received))
        }

        /// The bytes of the interface that a connection uses; `nil` for loopback.
        package var interfaceBytes: InterfaceBytes? {
            var received: UInt64 = 0
            var sent: UInt64 = 0
            guard longhaul_interface_bytes(number, &received, &sent) == 0 else { return nil }
            return InterfaceBytes(received: Int64(clamping: received), sent: Int64(clamping: sent))
        }

        /// Bounds the window offered to the peer, and so the bytes in flight. Call it only after the connection is
        /// established: earlier, it would disable window scaling permanently.
        package func boundWindow(_ bytes: Int64) {
            _ = longhaul_set_window_clamp(number, Int32(clamping: bytes))
        }

        /// Bounds the kernel's buffer of unread bytes.
        package func boundReceiveBuffer(_ bytes: Int) {
            _ = longhaul_set_receive_buffer(number, Int32(clamping: bytes))
        }
    }

    extension Machine {
        /// Whether a bounded window reopens. Before Linux 6.7 (commit 58d3aade20cd, also in later 6.6 releases), a window
        /// that was 0 at that moment stayed 0 forever.
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
#endif
