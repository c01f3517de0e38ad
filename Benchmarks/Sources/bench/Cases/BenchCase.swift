/// The shared environment of the cases.
struct World {
    let place: Place
    let servers: Servers
    let rounds: Int
    /// Rounds of the slow cases.
    let fewRounds: Int

    init(place: Place, servers: Servers, rounds: Int?) {
        self.place = place
        self.servers = servers
        self.rounds = rounds ?? 7
        fewRounds = rounds ?? 3
    }
}

/// A question, and how it is measured.
struct BenchCase: Sendable {
    /// The argument of `--case`.
    var name: String
    /// The question, for `--list`.
    var title: String
    var run: @Sendable (World) throws -> [Row]

    static let all: [BenchCase] = [
        .download, .downloadPeers, .upload, .downloadTLS, .uploadTLS, .tus, .segments, .farBig, .smallDown,
        .smallDown64, .smallUp, .smallUp64, .far, .farLossy, .attended, .queueing, .recovery, .active,
        .handover, .watching, .startUp, .sessionAPI, .growth, .idle,
    ]
}

/// Bytes of the big file.
let bigBytes = 4 << 30
let gibibyte = Double(1 << 30)
