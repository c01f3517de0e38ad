import CCurl
import LonghaulCore
import LonghaulFiles
import LonghaulSystem
import Synchronization

/// The thread that owns libcurl's multi handles and every exchange: one loop over epoll.
///
/// `@unchecked Sendable` only to move to its own thread: after `run` has started, no other thread uses it.
final class NetworkThread: @unchecked Sendable {
    typealias Sink = @Sendable ([(Ticket, EngineEvent)]) -> Void

    private(set) var exchanges: [Ticket: Exchange] = [:]
    var multis: MultiHandles
    private var pool: HandlePool
    var ways: NetworkPaths
    var taken: TakenSockets
    var yielding = YieldingConnections()
    let files: FileSide
    private let poller: Poller
    private let progress: ProgressTable
    private let clock: EngineClock
    var watches = Watches()
    var deferred = DeferredEvents()
    private var outbox: Outbox
    private var isStopping = false
    /// Monotonic nanoseconds at the start of this turn of the loop.
    private(set) var now: Int64

    init(
        files: FileSide, alternatives: String?, cookies: String?, progress: ProgressTable, clock: EngineClock,
        peerLimits: PeerLimits, sink: @escaping Sink
    ) throws(TransferFailure) {
        let mailbox = files.mailbox
        guard curlIsReady, let share = ConnectionShare() else { throw systemFailure(.outOfMemory) }
        do throws(SystemError) {
            poller = try Poller()
            taken = try TakenSockets(poller)
            try poller.add(mailbox.descriptor, key: UInt64(mailbox.descriptor), interest: .readable)
        } catch {
            throw systemFailure(error)
        }
        guard let multis = MultiHandles(poller: poller, clock: clock, limits: peerLimits) else {
            throw systemFailure(.outOfMemory)
        }
        self.multis = multis
        ways = NetworkPaths(
            alternatives: Alternatives(path: alternatives, workers: files.workers),
            proxies: .proxies(clock) { mailbox.post(.proxyFound($0, $1)) },
            certificates: CertificateProbes(clock) { mailbox.post(.certificateSeen($0, $1)) },
            names: NameLookups(clock) { mailbox.post(.nameLookedUp($0, $1)) })
        pool = HandlePool(share: share, jars: CookieJars(sessionPath: cookies))
        self.files = files
        self.progress = progress
        self.clock = clock
        now = clock.now
        outbox = Outbox(sink)
        clock.onAdvance { mailbox.wake() }
    }

    /// Runs the loop until `.stop`.
    func run() {
        var sockets = [UInt64](repeating: 0, count: 64)
        var directions = [Int32](repeating: 0, count: 64)
        while !isStopping {
            let count = poller.wait(&sockets, &directions, milliseconds: waitingTime())
            now = clock.now
            for index in 0..<count {
                handle(SocketKey(sockets[index]), Readiness(rawValue: directions[index]))
            }
            for multi in multis.due(at: now) { multi.wake() }
            takeOver()
            for (member, room) in yielding.check(at: now) { member.apply(room) }
            for exchange in watches.takeRested(at: now) { exchange.endRest() }
            collectFinished()
            followScouts()
            deferred.unreadResponses.forget()
            watchSending()
            if now >= watches.nextLook { checkAll() }
            deliverPoolEvents()
            let news = outbox.takeEvents()
            if !news.isEmpty { outbox.sink(news) }
        }
        abandonAll()
    }

    private func handle(_ key: SocketKey, _ ready: Readiness) {
        guard key.socket != files.mailbox.descriptor else { return takeCommands() }
        if let exchange = taken[key.socket] {
            exchange.direct?.socketIsReady()
            return
        }
        var directions: Int32 = 0
        if ready.contains(.readable) { directions |= CURL_CSELECT_IN }
        if ready.contains(.writable) { directions |= CURL_CSELECT_OUT }
        if ready.contains(.hungUp) { directions |= CURL_CSELECT_ERR }
        multis.owner(of: key)?.act(on: key.socket, directions: directions)
    }

    private func waitingTime() -> Int32 {
        var until = multis.alarm ?? .max
        if !exchanges.isEmpty { until = min(until, watches.nextLook) }
        until = min(until, watches.endOfRest, yielding.nextLook ?? .max)
        guard until != .max else { return -1 }
        // Rounded up, so that the loop never wakes before a deadline.
        return Int32(clamping: max(until - clock.now + 999_999, 0) / 1_000_000)
    }
}

// Commands from the mailbox.
extension NetworkThread {
    private func takeCommands() {
        for command in files.mailbox.takeAll() {
            switch command {
            case .start(let ticket, let plan): start(ticket, plan)
            case .cancel(let ticket):
                if let exchange = exchanges[ticket] { exchange.cancel() } else { forgetInquiries(of: ticket) }
            case .release(let ticket, let decision): exchanges[ticket]?.release(decision)
            case .setRateLimit(let limit, let ticket): exchanges[ticket]?.setRateLimit(limit)
            case .setAllowance(let bytes, let ticket): exchanges[ticket]?.setAllowance(bytes)
            case .setYields(let yields, let ticket):
                if let exchange = exchanges[ticket] { YieldingMember.setYields(yields, of: exchange) }
            case .setConnections(let most, let ticket): exchanges[ticket]?.segmentPool?.setConnections(most)
            case .proxyFound(let ticket, let answer): proxyFound(answer, for: ticket)
            case .certificateSeen(let ticket, let certificate): certificateSeen(certificate, by: ticket)
            case .nameLookedUp(let ticket, let answer): nameLooked(up: answer, by: ticket)
            case .networkChanged: abortCutConnections()
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
            add(exchange)
            if exchanges.count > multis.common.room { keepConnections() }
            watches.check(by: now + Self.bounded(exchange.checkInterval))
            exchange.begin()
        } catch {
            progress.remove(ticket)
            emit(ticket, .exchangeEnded(ExchangeOutcome(ending: .broke(error), requestLeft: false)))
        }
    }
}

// Limits that depend on the number of exchanges: idle connections and memory.
extension NetworkThread {
    /// Sets the number of idle connections, which must not take descriptors from active ones.
    private func keepConnections() {
        multis.common.keep(max(Self.usualRoom, min(2 * exchanges.count, Self.longestRoom)))
    }

    private static let usualRoom = min(64, 2 * longestRoom)
    private static let longestRoom = DescriptorBudget(limit: ThisProcess.descriptorLimit).transfers
    private static let crowd = 128

    /// Whether so many exchanges are active that the memory of each matters more than its speed.
    var isCrowded: Bool { exchanges.count > Self.crowd }

    /// Whether background transfers yield by bounding their connections' receive windows.
    var boundsWindows: Bool { files.paths.boundsWindows && Machine.windowsReopen }

    var pieceSize: Int { isCrowded ? BodyPath.smallPieceSize : PartialFile.pieceSize }
}

// Calls from exchanges.
extension NetworkThread {
    func emit(_ ticket: Ticket, _ event: EngineEvent) {
        if ticket.isOfHelper, let exchange = exchanges[ticket] { return deferred.segmentPools.add(exchange, event) }
        outbox.add(ticket, event)
    }

    /// Ends an exchange. If it belongs to a group that downloads one file, the group reports the end.
    func end(_ exchange: Exchange, _ outcome: ExchangeOutcome) {
        guard exchange.isPartOfPool else { return endForGood(exchange, outcome) }
        if exchange.isHelper {
            exchanges[exchange.ticket] = nil
            ways.originProbes.opened(by: exchange.ticket, at: now)
        }
        deferred.segmentPools.add(exchange, .exchangeEnded(outcome))
    }

    func add(_ exchange: Exchange) { exchanges[exchange.ticket] = exchange }

    func endForGood(_ exchange: Exchange, _ outcome: ExchangeOutcome) {
        exchanges[exchange.ticket] = nil
        progress.remove(exchange.ticket)
        ways.originProbes.opened(by: exchange.ticket, at: now)
        var outcome = outcome
        outcome.bytesReceived = exchange.progress.received.load(ordering: .relaxed)
        ways.record(outcome, at: exchange.url)
        recordLackOfNetwork(exchange, &outcome)
        if ways.names.begin(exchange, outcome) || ways.certificates.begin(exchange, outcome) { return }
        emit(exchange.ticket, .exchangeEnded(outcome))
    }

    func takeHandle(buffer: EasyHandle.Buffer, mayBeUsed: Bool, cookies: CookieJar?) -> EasyHandle? {
        abortUncleanConnections()
        return pool.reuse(buffer: buffer, mayBeUsed: mayBeUsed, cookies: cookies)
    }

    func remove(_ easy: EasyHandle, canBeReused: Bool) {
        easy.detach()
        if canBeReused { pool.giveBack(easy) }
    }

    /// Removes the handle of an exchange that has ended, and keeps its connection.
    func remove(_ easy: EasyHandle, of exchange: Exchange) {
        let socket = easy.hasStreams ? nil : exchange.wire.socket
        remove(easy, canBeReused: true)
        // libcurl may have given the connection to another exchange before it reported the end of this one.
        if let socket, deferred.openSockets[socket] == exchange.ticket { deferred.idleSockets.insert(socket) }
    }

    /// Pauses libcurl's reading. Returns `false` if libcurl refuses.
    func pauseReceiving(_ easy: EasyHandle) -> Bool { curl_easy_pause(easy.raw, CURLPAUSE_RECV) == CURLE_OK }

    func unpause(_ easy: EasyHandle) -> CURLcode {
        easy.streamHasMoved()
        return curl_easy_pause(easy.raw, CURLPAUSE_CONT)
    }

    func willTakeOver(_ exchange: Exchange) { deferred.takingOver.append(exchange) }

    func endSending(_ exchange: Exchange) { deferred.endingSending.append(exchange) }
}

// The work of each turn.
extension NetworkThread {
    private func collectFinished() {
        repeat {
            while let (context, code) = multis.nextFinished() {
                Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().conclude(code: code)
            }
        } while multis.deliverForgotten()
    }

    private func followScouts() {
        while let ticket = ways.originProbes.nextReady() { exchanges[ticket]?.followScout() }
    }

    private func takeOver() {
        guard !deferred.takingOver.isEmpty else { return }
        let all = deferred.takingOver
        deferred.takingOver = []
        for exchange in all { exchange.direct?.takeOver() }
    }

    private func watchSending() {
        if !deferred.endingSending.isEmpty {
            let ending = deferred.endingSending
            deferred.endingSending = []
            for exchange in ending { exchange.stopSending() }
        }
        watches.checkDraining()
    }

    private func checkAll() {
        for exchange in Array(exchanges.values) { exchange.endIfSilent() }
        deferred.dead.add(multis.endDeadConnections(), at: now)
        if multis.deliverForgotten(inAnyCase: true) { collectFinished() }
        keepConnections()
        watches.hasLooked(next: now + checkInterval, at: now)
    }

    private var checkInterval: Int64 {
        Self.bounded(exchanges.values.lazy.map(\.checkInterval).min() ?? .max)
    }

    /// Often enough for the shortest timeout, rarely enough to cost nothing.
    private static func bounded(_ interval: Int64) -> Int64 { min(max(interval, 20_000_000), 2_000_000_000) }

    /// Ends all exchanges when the engine shuts down. Received bytes are written, but nothing is reported.
    func abandonAll() {
        ways.shutDown()
        for exchange in exchanges.values { exchange.abandon(files.workers) }
        exchanges = [:]
        watches = Watches()
        pool.empty()
        multis.close()
        deferred = DeferredEvents()
    }
}

/// libcurl is initialized once per process, on first use.
private let curlIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
