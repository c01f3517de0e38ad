import CCurl
import LonghaulCore
import LonghaulSystem
import Synchronization

/// The thread that owns libcurl's multi handle and every exchange: one loop over epoll.
///
/// It is `@unchecked Sendable` only to get to its own thread: after `run` has begun nobody else touches it.
final class NetworkThread: @unchecked Sendable {
    typealias Sink = @Sendable ([(Ticket, EngineEvent)]) -> Void

    var multis: MultiHandles
    let poller: Poller
    /// A socket on which nothing ever comes.
    private let silence: Descriptor
    private let mailbox: Mailbox
    private let workers: FileWorkers
    private let memory: DigestMemory
    private let bodies: HeldBodies
    private let progress: ProgressTable
    let bodyPaths: BodyPathRule
    private let writers: WriterBudget
    private let sink: Sink

    var exchanges: [Ticket: Exchange] = [:]
    private var events: [(Ticket, EngineEvent)] = []
    var afterwards = Afterwards()
    let share: ConnectionShare
    private var pool: HandlePool
    var scouts = Scouts()
    var ways: Ways
    /// Bodies that libcurl has taken to the last byte and that may not have left completely.
    private var draining: [Exchange] = []
    /// Exchanges that rest, and until when.
    private var resting: [(exchange: Exchange, until: Int64)] = []
    var lastWords = LastWords()
    var yielding = YieldingConnections()
    private var takenSockets: [Int32: Exchange] = [:]
    var nextLook: Int64 = 0
    private var isStopping = false
    /// Monotonic nanoseconds, as of this turn of the loop.
    private(set) var now = SystemClock.monotonic()

    init(
        mailbox: Mailbox, workers: FileWorkers, memory: DigestMemory, bodies: HeldBodies,
        alternatives: String?, cookies: String?, progress: ProgressTable, bodyPaths: BodyPathRule,
        writers: WriterBudget,
        sink: @escaping Sink
    ) throws(TransferFailure) {
        guard curlIsReady, let share = ConnectionShare() else { throw systemFailure(.outOfMemory) }
        do throws(SystemError) {
            poller = try Poller()
            silence = try Descriptor.silentSocket()
            try poller.add(mailbox.descriptor, key: UInt64(mailbox.descriptor), interest: .readable)
        } catch {
            throw systemFailure(error)
        }
        guard let multis = MultiHandles(poller: poller) else { throw systemFailure(.outOfMemory) }
        self.multis = multis
        self.share = share
        ways = Ways(
            alternatives: Alternatives(path: alternatives, workers: workers),
            proxies: .proxies { mailbox.post(.proxyFound($0, $1)) },
            certificates: CertificateLooks { mailbox.post(.certificateSeen($0, $1)) })
        pool = HandlePool(share: share, jars: CookieJars(sessionPath: cookies))
        self.mailbox = mailbox
        self.workers = workers
        self.memory = memory
        self.bodies = bodies
        self.progress = progress
        self.bodyPaths = bodyPaths
        self.writers = writers
        self.sink = sink
    }

    /// The loop; returns after `.stop`.
    func run() {
        var sockets = [UInt64](repeating: 0, count: 64)
        var directions = [Int32](repeating: 0, count: 64)
        while !isStopping {
            let count = poller.wait(&sockets, &directions, milliseconds: waitingTime())
            now = SystemClock.monotonic()
            for index in 0..<count {
                handle(SocketKey(sockets[index]), Readiness(rawValue: directions[index]))
            }
            for multi in multis.due(at: now) { multi.wake() }
            takeOver()
            for (member, room) in yielding.look(at: now) { member.take(room) }
            endRests()
            collectFinished()
            followScouts()
            lastWords.forget()
            watchSending()
            if now >= nextLook { lookAtAll() }
            tellCrews()
            flushEvents()
        }
        abandonAll()
    }

    private func handle(_ key: SocketKey, _ ready: Readiness) {
        guard key.socket != mailbox.descriptor else { return takeCommands() }
        if let exchange = takenSockets[key.socket] { return exchange.takenSocketIsReady() }
        var directions: Int32 = 0
        if ready.contains(.readable) { directions |= CURL_CSELECT_IN }
        if ready.contains(.writable) { directions |= CURL_CSELECT_OUT }
        if ready.contains(.hungUp) { directions |= CURL_CSELECT_ERR }
        multis.owner(of: key)?.act(on: key.socket, directions: directions)
    }

    private func waitingTime() -> Int32 {
        var until = multis.alarm ?? .max
        if !exchanges.isEmpty { until = min(until, nextLook) }
        for rest in resting { until = min(until, rest.until) }
        until = min(until, yielding.nextLook ?? .max)
        guard until != .max else { return -1 }
        // Rounded up, so that a deadline is never met too early and asked for again.
        return Int32(clamping: max(until - SystemClock.monotonic() + 999_999, 0) / 1_000_000)
    }

    private func flushEvents() {
        guard !events.isEmpty else { return }
        let batch = events
        events.removeAll(keepingCapacity: true)
        sink(batch)
    }
}

// What the mailbox brings.
extension NetworkThread {
    private func takeCommands() {
        for command in mailbox.takeAll() {
            switch command {
            case .start(let ticket, let plan): start(ticket, plan)
            case .cancel(let ticket):
                // Nobody waits for what its server showed.
                if let exchange = exchanges[ticket] { exchange.cancel() } else { certificateSeen(nil, by: ticket) }
            case .release(let ticket, let decision): exchanges[ticket]?.release(decision)
            case .setRateLimit(let limit, let ticket): exchanges[ticket]?.setRateLimit(limit)
            case .setAllowance(let bytes, let ticket): exchanges[ticket]?.setAllowance(bytes)
            case .setYields(let yields, let ticket):
                if let exchange = exchanges[ticket] { YieldingMember.setYields(yields, of: exchange) }
            case .setConnections(let most, let ticket): exchanges[ticket]?.crew?.setConnections(most)
            case .proxyFound(let ticket, let answer): proxyFound(answer, for: ticket)
            case .certificateSeen(let ticket, let certificate): certificateSeen(certificate, by: ticket)
            case .synced(let ticket, let result): exchanges[ticket]?.synced(result)
            case .roomToWrite(let ticket): exchanges[ticket]?.roomToWrite()
            case .closed(let ticket, let end): exchanges[ticket]?.closed(end)
            case .stop: isStopping = true
            }
        }
    }

    private func start(_ ticket: Ticket, _ plan: ExchangePlan) {
        guard let cell = progress.cell(of: ticket) else { return }
        do throws(TransferFailure) {
            let url = try TransferURL(parsing: plan.url)
            let exchange = Exchange(
                ticket: ticket, plan: plan, url: url, cookies: try pool.jars.jar(for: plan.network), progress: cell,
                thread: self)
            exchanges[ticket] = exchange
            if exchanges.count > multis.common.room { keepConnections() }
            nextLook = min(nextLook, now + Self.bounded(exchange.lookInterval))
            exchange.begin()
        } catch {
            progress.remove(ticket)
            emit(ticket, .exchangeEnded(ExchangeOutcome(ending: .broke(error), requestLeft: false)))
        }
    }
}

// What depends on how many exchanges there are: the connections that wait for the next one, and memory.
extension NetworkThread {
    /// Kept connections must not take the descriptors of those that are needed.
    private func keepConnections() {
        multis.common.keep(max(Self.usualRoom, min(2 * exchanges.count, Self.longestRoom)))
    }

    private static let usualRoom = 64
    private static let longestRoom = DescriptorBudget(limit: ThisProcess.descriptorLimit).transfers
    private static let crowd = 128

    /// Whether so many exchanges are under way that what each of them holds counts more than its speed.
    var isCrowded: Bool { exchanges.count > Self.crowd }

    /// Whether the windows of connections are bounded to make room for others.
    var boundsWindows: Bool { bodyPaths.boundsWindows && Machine.windowsReopen }

    var pieceSize: Int { isCrowded ? BodyPath.smallPieceSize : BodyPath.pieceSize }
}

// What exchanges ask of their thread.
extension NetworkThread {
    func emit(_ ticket: Ticket, _ event: EngineEvent) {
        if ticket.isOfHelper, let exchange = exchanges[ticket] { return afterwards.crews.add(exchange, event) }
        events.append((ticket, event))
    }

    /// What ends as a part of a larger whole is its crew's to tell.
    func end(_ exchange: Exchange, _ outcome: ExchangeOutcome) {
        guard exchange.isPartOfCrew else { return endForGood(exchange, outcome) }
        if exchange.isHelper {
            exchanges[exchange.ticket] = nil
            scouts.opened(by: exchange.ticket, at: now)
        }
        afterwards.crews.add(exchange, .exchangeEnded(outcome))
    }

    func endForGood(_ exchange: Exchange, _ outcome: ExchangeOutcome) {
        exchanges[exchange.ticket] = nil
        progress.remove(exchange.ticket)
        scouts.opened(by: exchange.ticket, at: now)
        var outcome = outcome
        outcome.bytesReceived = exchange.progress.received.load(ordering: .relaxed)
        if ways.certificates.begin(exchange, outcome) { return }
        emit(exchange.ticket, .exchangeEnded(outcome))
    }

    func takeHandle(buffer: EasyHandle.Buffer, mayBeUsed: Bool, cookies: CookieJar?) -> EasyHandle? {
        if mayBeUsed, cookies == nil { return pool.take(buffer: buffer) }
        return EasyHandle(buffer: buffer, share: cookies?.share ?? share)
    }

    func remove(_ easy: EasyHandle, canBeReused: Bool) {
        easy.leave()
        if canBeReused { pool.giveBack(easy) }
    }

    /// Keeps libcurl from reading on. `false` when it does not obey.
    func pauseReceiving(_ easy: EasyHandle) -> Bool { curl_easy_pause(easy.raw, CURLPAUSE_RECV) == CURLE_OK }

    func unpause(_ easy: EasyHandle) -> CURLcode { curl_easy_pause(easy.raw, CURLPAUSE_CONT) }

    func sync(_ target: PartialTarget, length: Int64, of exchange: Exchange) {
        workers.checkpoint(exchange.ticket, target, length: length)
    }

    /// A thread that writes what comes for this exchange; `nil` when there are too many already.
    func makeWriter(of target: PartialTarget, for exchange: Exchange) -> PieceWriter? {
        let ticket = exchange.ticket
        let mailbox = mailbox
        return PieceWriter(
            target: target, budget: writers, memory: memory, onRoom: { mailbox.post(.roomToWrite(ticket)) },
            onEnd: { mailbox.post(.closed(ticket, $0)) })
    }

    /// Has libcurl offer paused data once more, from outside its callback.
    func comeAgain(_ exchange: Exchange) { mailbox.post(.roomToWrite(exchange.ticket)) }

    func wake(_ exchange: Exchange, at time: Int64) { resting.append((exchange, time)) }

    func willTakeOver(_ exchange: Exchange) { afterwards.takingOver.append(exchange) }

    /// Watches a socket that was taken over, or no longer. `false` when the system refuses.
    func watchTaken(_ socket: TakenSocket, of exchange: Exchange) -> Bool {
        takenSockets[socket.descriptor] = exchange
        let interest: Readiness = socket.direction == .receiving ? .readable : .writable
        return (try? poller.add(socket.descriptor, key: UInt64(socket.descriptor), interest: interest)) != nil
    }

    /// Puts a socket on which nothing ever comes in the place of another one.
    func standIn(for socket: Int32) -> Bool { (try? silence.standIn(for: socket)) != nil }

    func unwatchTaken(_ socket: Int32) {
        takenSockets[socket] = nil
        poller.remove(socket)
    }

    func close(_ file: PartialFile, of exchange: Exchange) {
        if let writer = file.writer { return writer.end() }
        workers.add(.close(exchange.ticket, file))
    }

    /// Keeps a complete body until it is placed; `false` when there is no room for it.
    func hold(_ file: PartialFile) -> Bool { bodies.hold(file) }

    func forgetHeld(path: String) { bodies.forget(path: path) }

    func watchDraining(_ exchange: Exchange) {
        draining.append(exchange)
        nextLook = min(nextLook, max(exchange.bodySentDue, now))
    }

    func endSending(_ exchange: Exchange) { afterwards.endingSending.append(exchange) }
}

// What each turn looks after.
extension NetworkThread {
    private func collectFinished() {
        while let (context, code) = multis.nextFinished() {
            Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().conclude(code: code)
        }
    }

    private func followScouts() {
        while let ticket = scouts.nextReady() { exchanges[ticket]?.followScout() }
    }

    private func takeOver() {
        guard !afterwards.takingOver.isEmpty else { return }
        let all = afterwards.takingOver
        afterwards.takingOver = []
        for exchange in all { exchange.takeOver() }
    }

    private func endRests() {
        guard resting.contains(where: { $0.until <= now }) else { return }
        let due = resting.filter { $0.until <= now }
        resting.removeAll { $0.until <= now }
        for rest in due { rest.exchange.endRest() }
    }

    private func watchSending() {
        if !afterwards.endingSending.isEmpty {
            let ending = afterwards.endingSending
            afterwards.endingSending = []
            for exchange in ending { exchange.stopSending() }
        }
        if !draining.isEmpty { draining.removeAll { $0.hasDrained() } }
    }

    private func lookAtAll() {
        for exchange in Array(exchanges.values) { exchange.look() }
        keepConnections()
        let nextWord = draining.lazy.map(\.bodySentDue).filter { [now] in $0 > now }.min()
        nextLook = min(now + lookInterval, nextWord ?? .max)
    }

    private var lookInterval: Int64 {
        Self.bounded(exchanges.values.lazy.map(\.lookInterval).min() ?? .max)
    }

    /// Often enough for the shortest time-out, seldom enough to cost nothing.
    private static func bounded(_ interval: Int64) -> Int64 { min(max(interval, 20_000_000), 2_000_000_000) }

    /// The end of the engine: what was received is written, nothing is reported.
    private func abandonAll() {
        ways.shutDown()
        for exchange in exchanges.values { exchange.abandon(memory: memory) }
        exchanges = [:]
        draining = []
        afterwards = Afterwards()
        resting = []
        pool.empty()
    }
}

/// libcurl is initialised once in a process, whoever asks first.
private let curlIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
