import LonghaulCore
import LonghaulSystem

/// The listening sockets.
struct ConnectionAcceptor {
    /// In the order in which they were added, which is the order of their keys.
    var listeners: [Descriptor] = []
    var spares: SpareDescriptors
    /// Set while no descriptor is available for a new client.
    var opensAgainAt: SuspendingClock.Instant?
    private var lastClient: UInt64 = 0

    init(spares: SpareDescriptors) {
        self.spares = spares
    }

    mutating func nextClient() -> ClientNumber {
        lastClient += 1
        return ClientNumber(lastClient)
    }

    /// Accepts the next client. If no descriptor is available, a spare one is closed first.
    mutating func accept(from listener: Descriptor) -> Result<Descriptor, SystemError> {
        let client = UnixSocket.accept(from: listener)
        guard case .failure(.noDescriptorLeft) = client, spares.giveOne() else { return client }
        return UnixSocket.accept(from: listener)
    }
}
