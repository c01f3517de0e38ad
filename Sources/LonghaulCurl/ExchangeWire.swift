import LonghaulCore
import LonghaulFiles

/// One request and its response, as libcurl handles them. Created for each request of an exchange.
struct ExchangeWire {
    /// libcurl's handle while it is active.
    var easy: EasyHandle?
    /// The connection's socket, as libcurl last watched it.
    var socket: Int32?
    /// The host whose address libcurl could not look up.
    var unresolved: NameLookups.Host?
    /// Bytes of the response's body that libcurl has delivered.
    var given: Int64 = 0
    var collector: HeaderCollector
    var activity = Activity()
    /// Whether HTTP/3 may serve the request. The value for the next request is decided while the wire of the last one
    /// still exists.
    var triesHTTP3 = false
    /// Whether the end of the response's body is marked.
    var delimitsBody = true

    /// Creates an idle wire.
    init() { collector = HeaderCollector() }

    init(_ easy: EasyHandle, keepsHeaders: Bool, triesHTTP3: Bool, at now: Int64) {
        self.easy = easy
        self.triesHTTP3 = triesHTTP3
        collector = HeaderCollector(heads: keepsHeaders ? HeadTrace() : nil)
        activity.begin(at: now)
    }
}

/// The receiver of a download's body.
enum BodyReceiver {
    case nobody
    case comparing(Comparison)
    case writing(PartialFile)
    /// The last bytes are being written.
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

/// The state of the report that a request's body has been sent.
enum BodyReport {
    case nothing
    /// Due at this time in monotonic nanoseconds, if the body has been sent by then.
    case due(Int64)
    case done

    var dueTime: Int64 { if case .due(let time) = self { time } else { 0 } }
}

/// The part of a partial file that is on stable storage.
struct Checkpoints {
    private enum State {
        case idle
        case syncing
        /// A sync failed. The file is certain only up to here, and no later sync can confirm more (fsync(2)).
        case failed(certain: Int64)
    }

    private var state = State.idle
    /// The length of the file at the start of the last sync, and its last synced length.
    private var begun: Int64
    private var synced: Int64

    init(from start: Int64 = 0) {
        begun = start
        synced = start
    }

    var isSyncing: Bool { if case .syncing = state { true } else { false } }

    /// Returns whether a file of this length is due for a sync at this interval.
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

    /// Returns how much of a file that was closed at this length is certain.
    func certain(of length: Int64) -> Int64 {
        if case .failed(let certain) = state { min(length, certain) } else { length }
    }
}
