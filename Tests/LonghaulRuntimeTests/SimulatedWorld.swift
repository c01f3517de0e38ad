import LonghaulCore
import Synchronization

/// The disk and the servers of a crash test: what is here outlives every death of the loop and its engine.
final class SimulatedWorld: Sendable {
    static let fileSize: Int64 = 1_000
    /// Takes a body with the right token only.
    static let guarded = "http://up.test/named"
    static let token = "fresh"
    /// A signed URL whose time is over, and the one in its place.
    static let expired = "http://up.test/moved?old"
    static let fresh = "http://up.test/moved?fresh"

    /// Small enough to stay in the engine's memory until it is placed.
    static let small = "http://files.test/small.mp4"

    /// Fetched by several connections at once.
    static let parted = "http://files.test/parted.mp4"

    struct Partial: Equatable {
        var identity: Int
        var length: Int64
        /// Bytes that are what the server sent; a power cut spoils those that were not synced.
        var good = SegmentMap()
        var synced = SegmentMap()

        mutating func sync() { synced = good }
    }

    struct State {
        var partials: [String: Partial] = [:]
        /// Finished files: which partial file they were, and how many of their bytes are good.
        var finals: [String: Partial] = [:]
        var staged: Set<String> = []
        /// How often a request with this URL was received whole.
        var deliveries: [String: Int] = [:]
        /// tus uploads by URL: bytes the server has.
        var uploads: [String: Int64] = [:]
        var tusBytesReceived: Int64 = 0
        var terminated: Set<String> = []
        var nextIdentity = 1
        /// What the system carries, if it does.
        var carried: [ExchangeID: CarriedExchange] = [:]

        mutating func move(_ move: PartialMove, to path: String) {
            if let source = move.sources.first(where: { partials[$0] != nil }) { partials[path] = partials[source] }
            for file in move.sources + move.leftovers where file != path { partials[file] = nil }
        }
        /// Which transfers' marks finished files carry.
        var marks: [String: TransferID] = [:]

        /// A body without a file gets its name at once. What has the transfer's mark is what it left before.
        mutating func placeHeld(_ id: TransferID, _ path: String) -> PlacedFile {
            for name in [path, path + " (1)"] where finals[name] == nil || marks[name] == id {
                if finals[name] == nil {
                    let size = SimulatedWorld.fileSize
                    finals[name] = Partial(
                        identity: nextIdentity, length: size, good: SegmentMap([0..<size]),
                        synced: SegmentMap([0..<size]))
                    nextIdentity += 1
                    marks[name] = id
                }
                return PlacedFile(path: name, leavesPartialFile: false)
            }
            return PlacedFile(path: path, leavesPartialFile: false)
        }
    }

    private let state = Mutex(State())

    func update<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    var now: State { state.withLock { $0 } }

    /// Another program has left this, and will not write to it any more.
    func leave(_ foreign: ForeignPartial) {
        let all = SegmentMap([0..<foreign.file.pin.size])
        update {
            $0.finals[foreign.file.path] = Partial(identity: 0, length: foreign.file.pin.size, good: all, synced: all)
        }
    }

    /// The machine loses power: what was not synced is there in length, and garbage.
    func cutPower() {
        update { state in
            for (path, file) in state.partials { state.partials[path]?.good = file.synced }
        }
    }
}
