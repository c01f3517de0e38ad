package import LonghaulCore
package import LonghaulSystem

/// Serves clients over its listening sockets, on the one thread that calls `run`.
///
/// A client's messages, or lack of them, can end only its own connection. `ServerLimits` bounds the memory for a
/// client.
package final class SocketServer {
    /// The server's delegate. Called on the server's thread; replies go to the mailbox, from any thread.
    package struct Handler {
        package var request: (RequestKey, ClientMessage) -> Void
        /// The client has disconnected, which ends its watches.
        package var clientLeft: (ClientNumber) -> Void

        package init(
            request: @escaping (RequestKey, ClientMessage) -> Void, clientLeft: @escaping (ClientNumber) -> Void
        ) {
            self.request = request
            self.clientLeft = clientLeft
        }
    }

    package let mailbox: ServerMailbox
    private var entrance: ConnectionAcceptor
    let limits: ServerLimits
    let program: String
    let handler: Handler
    let poller: Poller
    let clock = SuspendingClock()
    var clients: [ClientNumber: ServerClient] = [:]
    var frames: LargeFrames
    var memory = ClientMemory()
    /// The number of updates being made, and the clients that wait until there are fewer.
    var pulls = 0
    var waitingForPulls: [ClientNumber] = []
    var latestUpdate = EncodedUpdate()
    var isStopping = false
    private var sources: [(descriptor: Descriptor, readable: () -> Void)] = []

    package init(
        listener: Descriptor, mailbox: ServerMailbox, limits: ServerLimits = ServerLimits(), program: String,
        handler: Handler
    ) throws(TransferFailure) {
        self.mailbox = mailbox
        self.limits = limits
        frames = LargeFrames(room: limits.largeFrames)
        entrance = ConnectionAcceptor(spares: SpareDescriptors(limits.spareDescriptors, of: mailbox.wake.descriptor))
        self.program = program
        self.handler = handler
        poller = try waiting { () throws(SystemError) in try Poller() }
        try addListener(listener)
        try watch(mailbox.wake.descriptor, key: Key.mailbox)
    }

    package var clientCount: Int { clients.count }

    /// Accepts clients at this socket as well.
    package func addListener(_ listener: Descriptor) throws(TransferFailure) {
        try watch(listener, key: Key.firstListener + UInt64(entrance.listeners.count))
        entrance.listeners.append(listener)
    }

    /// Accepts clients at another socket instead of the first one, after accepting the clients that still wait at the first.
    package func replaceFirstListener(with listener: Descriptor) throws(TransferFailure) {
        try watch(listener, key: Key.firstListener)
        acceptAll(from: entrance.listeners[0])
        poller.remove(entrance.listeners[0].number)
        entrance.listeners[0] = listener
    }

    /// Calls `readable` on the server's thread whenever the descriptor can be read.
    package func addSource(
        _ descriptor: Descriptor, readable: @escaping () -> Void
    ) throws(TransferFailure) {
        try watch(descriptor, key: Key.firstSource + UInt64(sources.count))
        sources.append((descriptor, readable))
    }

    /// Serves until the mailbox is stopped. `housekeeping` is called after each turn and returns the time for its next call.
    package func run(housekeeping: (SuspendingClock.Instant) -> SuspendingClock.Instant?) {
        while !isStopping {
            let wanted = housekeeping(clock.now)
            turn(milliseconds: milliseconds(until: earliest(wanted, earliest(entrance.opensAgainAt, clientDeadline))))
        }
    }

    /// After `run`: sends the remaining messages for at most the given time, then closes every connection.
    package func finish(within time: Duration) {
        let end = clock.now + time
        for listener in entrance.listeners { poller.remove(listener.number) }
        entrance.opensAgainAt = nil
        for number in clients.keys { updateInterest(of: number, mayRead: false) }
        takeMail()
        while clients.values.contains(where: { !$0.output.isEmpty }), clock.now < end {
            turn(milliseconds: milliseconds(until: end))
        }
        for number in Array(clients.keys) { close(number) }
    }

    private func turn(milliseconds: Int32) {
        for (key, ready) in poller.wait(milliseconds: milliseconds) {
            switch key {
            case Key.mailbox: takeMail()
            case Key.firstListener..<Key.firstSource: acceptAll(from: entrance.listeners[Int(key - Key.firstListener)])
            case Key.firstSource..<Key.firstClient: sources[Int(key - Key.firstSource)].readable()
            default: serve(ClientNumber(key - Key.firstClient), ready: ready)
            }
        }
        let now = clock.now
        entrance.spares.refill()
        if let again = entrance.opensAgainAt, now >= again {
            entrance.opensAgainAt = nil
            listen(for: .readable)
        }
        dismissOverdue(now: now)
        resumeHeld()
    }

    private func listen(for interest: Readiness) {
        for (index, listener) in entrance.listeners.enumerated() {
            poller.change(listener.number, key: Key.firstListener + UInt64(index), interest: interest)
        }
    }

    private func acceptAll(from listener: Descriptor) {
        for _ in 0..<32 {
            switch entrance.accept(from: listener) {
            case .success(let socket): accept(socket)
            case .failure(let error) where error.isLackOfResources:
                // The connection stays in the queue, and would wake the poller again at once.
                entrance.opensAgainAt = clock.now + .seconds(1)
                return listen(for: [])
            case .failure(let error): guard error.isPassing else { return }
            }
        }
    }

    private func accept(_ socket: Descriptor) {
        guard UnixSocket.peerUser(of: socket) == ThisProcess.user else {
            return refuse(socket, TransferFailure(.accessDenied, "This service belongs to another user."))
        }
        guard clients.count < limits.clients else {
            return refuse(
                socket,
                TransferFailure(
                    .serviceUnavailable,
                    "\(limits.clients) programs are connected to longhauld, which is the limit. Close some."))
        }
        let number = entrance.nextClient()
        do {
            try watch(socket, key: Key.firstClient + number.value)
            clients[number] = ServerClient(number: number, socket: socket, limits: limits, now: clock.now)
        } catch {
            refuse(socket, error)
        }
    }

    /// A refusal fits into the empty buffer of a new socket.
    private func refuse(_ socket: Descriptor, _ failure: TransferFailure) {
        var output = OutputQueue()
        output.append(frame(.failed(failure), request: 0))
        _ = output.write(to: socket)
    }

    private var clientDeadline: SuspendingClock.Instant? {
        clients.values.lazy.compactMap(\.deadline).min()
    }

    private func dismissOverdue(now: SuspendingClock.Instant) {
        for client in clients.values {
            guard let deadline = client.deadline, deadline <= now else { continue }
            dismiss(client.number, TransferFailure(.timedOut, "This program did not respond to longhauld in time."))
        }
    }

    private func earliest(
        _ left: SuspendingClock.Instant?, _ right: SuspendingClock.Instant?
    ) -> SuspendingClock.Instant? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    private func milliseconds(until deadline: SuspendingClock.Instant?) -> Int32 {
        deadline.map { PollSet.milliseconds($0 - clock.now) } ?? -1
    }

    private func watch(_ descriptor: Descriptor, key: UInt64) throws(TransferFailure) {
        try waiting { () throws(SystemError) in try poller.add(descriptor.number, key: key, interest: .readable) }
    }

    enum Key {
        static let mailbox: UInt64 = 0
        static let firstListener: UInt64 = 1
        static let firstSource: UInt64 = 1 << 8
        static let firstClient: UInt64 = 1 << 16
    }
}

private func waiting<Value>(_ body: () throws(SystemError) -> Value) throws(TransferFailure) -> Value {
    do throws(SystemError) {
        return try body()
    } catch {
        throw TransferFailure(.internalFault, "Could not wait for clients.", error: error)
    }
}
