import LonghaulCore
import LonghaulSystem

/// Where clients come in.
struct ServerEntrance {
    /// In the order they were added, which is the order of their keys.
    var listeners: [Descriptor] = []
    var spares: SpareDescriptors
    /// Set while no descriptor is left for a new client.
    var opensAgainAt: SuspendingClock.Instant?
    private var lastClient: UInt64 = 0

    init(spares: SpareDescriptors) {
        self.spares = spares
    }

    mutating func nextClient() -> ClientNumber {
        lastClient += 1
        return ClientNumber(lastClient)
    }

    /// The next one that waits there. Where no descriptor is left, a spare one makes room.
    mutating func accept(from listener: Descriptor) -> Result<Descriptor, SystemError> {
        let client = UnixSocket.accept(from: listener)
        guard case .failure(.noDescriptorLeft) = client, spares.giveOne() else { return client }
        return UnixSocket.accept(from: listener)
    }
}
