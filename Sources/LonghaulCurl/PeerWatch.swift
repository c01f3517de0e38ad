import CCurl
import LonghaulCore
package import LonghaulSystem

/// The limits after which a connection ends because its peer is dead: no packet reaches it, or none comes back.
///
/// A live peer acknowledges what it receives, even if it has nothing to send for hours or keeps its window closed. The
/// kernel probes a connection without unacknowledged data. But it would repeat unacknowledged data for a quarter of an
/// hour, and TCP_USER_TIMEOUT would also end a connection with a closed window (since Linux 5.11). So the engine
/// monitors such connections itself.
package struct PeerLimits: Equatable, Sendable {
    /// A dead peer is detected after 110 seconds of silence.
    package var probes = PeerProbes(idle: 60, interval: 10, count: 5, longestPause: 20_000)
    /// How long sent data may stay unacknowledged. Together with the longest pause before a packet, this is less than
    /// two minutes.
    package var unanswered = Duration.seconds(90)

    package init() {}
}

/// Detects whether the peer of a connection in use has stopped responding.
struct PeerWatch {
    /// The time of the first check after the peer's last acknowledgment. It is real time, as the kernel measures it,
    /// and not that of the engine's clock.
    private var since: Int64?
    private var acknowledged: Int64 = 0

    /// Returns whether the peer has not responded for `limit` nanoseconds.
    mutating func isDead(_ socket: LentDescriptor, limit: Int64) -> Bool {
        guard let sight = socket.peerStatus else {
            since = nil
            return false
        }
        let now = SystemClock.monotonic()
        // If only packets to the peer are lost, it repeats its own last packet, which the kernel takes for an
        // acknowledgment.
        let hasAnswered = sight.owesBytes ? sight.acknowledged != acknowledged : since.map { sight.silence < now - $0 }
        acknowledged = sight.acknowledged
        // A request on a connection that was idle for a minute must not count that minute.
        guard let since, hasAnswered == false else {
            since = now
            return false
        }
        return now - since >= limit
    }
}

/// The connections that were ended because their peers were dead, by local port: libcurl sees only a reset.
struct DeadConnections {
    /// How long a port is kept, in nanoseconds: libcurl ends the connection's exchanges in the next turns of the loop.
    private static let memory: Int64 = 10_000_000_000
    private var ports: [UInt16: Int64] = [:]

    mutating func add(_ ports: [UInt16], at now: Int64) {
        self.ports = self.ports.filter { now - $0.value < Self.memory }
        for port in ports { self.ports[port] = now }
    }

    func contains(port: Int) -> Bool { !ports.isEmpty && ports[UInt16(truncatingIfNeeded: port)] != nil }
}
