import LonghaulCore
import LonghaulFiles

/// One request on its way and its answer, as libcurl carries them: made anew for each request of an exchange.
struct ExchangeWire {
    /// libcurl's handle, while it is at work.
    var easy: EasyHandle?
    /// The connection's socket, as libcurl watched it last.
    var socket: Int32?
    /// The host whose address libcurl did not get.
    var unresolved: NameLookups.Host?
    /// Bytes of the response's body that libcurl has given.
    var given: Int64 = 0
    var collector: HeaderCollector
    var activity = Activity()
    /// Whether the request may be answered by HTTP/3. That of the next request is decided while the last one's wire is still here.
    var triesHTTP3 = false
    /// Whether something marks the end of the response's body.
    var delimitsBody = true

    /// Nothing is on its way.
    init() { collector = HeaderCollector() }

    init(_ easy: EasyHandle, keepsHeaders: Bool, triesHTTP3: Bool, at now: Int64) {
        self.easy = easy
        self.triesHTTP3 = triesHTTP3
        collector = HeaderCollector(heads: keepsHeaders ? HeadTrace() : nil)
        activity.begin(at: now)
    }
}

/// What takes a download's body.
enum BodyReceiver {
    case nobody
    case comparing(Comparison)
    case writing(PartialFile)
    /// Its last bytes are to be written.
    case settling(PartialFile)
    /// A worker has the file, or the thread that writes it.
    case closing(PieceWriter?)

    var writer: PieceWriter? {
        switch self {
        case .writing(let file), .settling(let file): file.writer
        case .closing(let writer): writer
        case .nobody, .comparing: nil
        }
    }
}

/// Whether it was reported that a request's body is out.
enum BodyReport {
    case nothing
    /// It is to be, at this time in monotonic nanoseconds, if that is true by then.
    case due(Int64)
    case done

    var dueTime: Int64 { if case .due(let time) = self { time } else { 0 } }
}

/// What of a partial file is on stable storage.
struct Checkpoints {
    private enum State {
        case idle
        case syncing
        /// A sync has failed: the file is good up to here for certain, and no later sync says so again (fsync(2)).
        case failed(certain: Int64)
    }

    private var state = State.idle
    /// Where the file ended when it was synced last, and how much of that is there.
    private var begun: Int64
    private var synced: Int64

    init(from start: Int64 = 0) {
        begun = start
        synced = start
    }

    var isSyncing: Bool { if case .syncing = state { true } else { false } }

    /// Whether a file of this length is to be synced, when that is to be done so often.
    func isDue(at length: Int64, each interval: Int64) -> Bool { length - begun >= interval && !isSyncing }

    mutating func begin(at length: Int64) {
        begun = length
        if case .idle = state { state = .syncing }
    }

    mutating func end(at length: Int64) {
        synced = length
        if case .syncing = state { state = .idle }
    }

    mutating func fail() { state = .failed(certain: synced) }

    /// How much of a file that was closed at this length is certain.
    func certain(of length: Int64) -> Int64 {
        if case .failed(let certain) = state { min(length, certain) } else { length }
    }
}
