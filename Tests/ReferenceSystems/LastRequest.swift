import Longhaul

/// The app sends a request when its process is about to end. A kill is reported by a request that it deposited before.
struct LastRequest: ReferenceSystem {
    static let session = "org.example.farewell"
    let platform: Platform

    init(_ platform: Platform) { self.platform = platform }

    private var url: String { "\(platform.server)/farewell" }

    func open(_ session: TransferSession, _ lifecycle: ProcessLifecycle) async throws(TransferFailure) {
        let states = lifecycle.states
        platform.show("found: \(try await session.snapshots().count)")
        try await session.setLastWill(.request(url, method: "POST", body: Array("lost".utf8)))
        platform.show("ready")
        for await state in states where state == .terminating {
            try await session.request(url, method: "POST", body: Array("stopped".utf8), options: .atTermination)
            platform.show("stored")
        }
    }
}
