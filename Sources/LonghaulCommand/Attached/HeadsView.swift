import LonghaulCore

/// `-v`: the headers of the requests and responses of the transfers that a command follows, when their states change.
struct HeadsView {
    private let world: World
    private let session: SessionID
    private var service: (any TransferService)?
    /// The last line of history that was shown.
    private var shown: [TransferID: Int64] = [:]
    private var states: [TransferID: TransferState] = [:]

    init(world: World, session: SessionID) {
        self.world = world
        self.session = session
    }

    mutating func show(_ transfers: [TransferSnapshot]) async {
        for transfer in transfers where states.updateValue(transfer.state, forKey: transfer.id) != transfer.state {
            for entry in await history(of: transfer.id) where entry.number > shown[transfer.id] ?? 0 {
                shown[transfer.id] = entry.number
                for line in HistoryText.heads(of: entry) {
                    world.console.say("\(ShortID.text(transfer.id)) \(line)")
                }
            }
        }
    }

    func end() { service?.close() }

    /// Returns the history; empty if the service cannot be reached now. The next call returns the recorded lines.
    private mutating func history(of id: TransferID) async -> [HistoryEntry] {
        do throws(TransferFailure) {
            let service = if let service { service } else { try await world.connect(false) }
            self.service = service
            return try await service.history(id, in: session)
        } catch {
            service?.close()
            service = nil
            return []
        }
    }
}
