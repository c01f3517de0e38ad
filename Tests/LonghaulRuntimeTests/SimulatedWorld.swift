import LonghaulCore
import Synchronization

/// The disk and the servers of a crash test, which outlive every death of the loop and its engine.
final class SimulatedWorld: Sendable {
    static let fileSize: Int64 = 1_000
    /// Accepts a body only with the right token.
    static let guarded = "http://up.test/named"
    static let token = "fresh"
    /// A signed URL that has expired, and its replacement.
    static let expired = "http://up.test/moved?old"
    static let fresh = "http://up.test/moved?fresh"

    /// Small enough to stay in the engine's memory until it is placed.
    static let small = "http://files.test/small.mp4"

    /// Downloaded over several connections at once.
    static let parted = "http://files.test/parted.mp4"

    /// Responds to an upload when the world says so.
    static let silent = "http://up.test/silent"

    /// Sends a new file to those who request the rest of the old one.
    static let changed = "http://files.test/changed.mp4"

    struct Partial: Equatable {
        var identity: Int
        var length: Int64
        /// The bytes that match the server's file; a power failure damages those that were not synced.
        var good = SegmentMap()
        var synced = SegmentMap()

        mutating func sync() { synced = good }
    }

    struct State {
        var partials: [String: Partial] = [:]
        /// Finished files: their partial files, and how many of their bytes are valid.
        var finals: [String: Partial] = [:]
        var staged: Set<String> = []
        /// How often a complete request with this URL was received.
        var deliveries: [String: Int] = [:]
        /// tus uploads by URL, with the number of bytes on the server.
        var uploads: [String: Int64] = [:]
        var tusBytesReceived: Int64 = 0
        var terminated: Set<String> = []
        var nextIdentity = 1
        /// Whether the silent server responds.
        var answersSilent = false
        /// The exchanges that the system runs, if it does.
        var carried: [ExchangeID: CarriedExchange] = [:]

        mutating func move(_ move: PartialMove, to path: String) {
            if let source = move.sources.first(where: { partials[$0] != nil }) { partials[path] = partials[source] }
            for file in move.sources + move.leftovers where file != path { partials[file] = nil }
        }
        /// The transfers in the marks of finished files.
        var marks: [String: TransferID] = [:]

        /// Names a body without a file at once. A file with the transfer's mark is the result of an earlier life.
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

    /// Another program has left this file, and will not write to it any more.
    func addForeign(_ foreign: ForeignPartial) {
        let all = SegmentMap([0..<foreign.file.pin.size])
        update {
            $0.finals[foreign.file.path] = Partial(identity: 0, length: foreign.file.pin.size, good: all, synced: all)
        }
    }

    /// The machine loses power: bytes that were not synced are replaced by garbage of the same length.
    func cutPower() {
        update { state in
            for (path, file) in state.partials { state.partials[path]?.good = file.synced }
        }
    }
}
