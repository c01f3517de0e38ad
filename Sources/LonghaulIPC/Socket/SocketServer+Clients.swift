import LonghaulCore
import LonghaulSystem

/// Reading and writing the bytes of one client.
extension SocketServer {
    func serve(_ number: ClientNumber, ready: Readiness) {
        // The client may have been closed by an earlier event of the same turn.
        guard clients[number] != nil else { return }
        if ready.contains(.writable) {
            write(number)
            takeFrames(number)
        }
        if ready.contains(.readable) { read(number) } else if ready.contains(.hungUp) { close(number) }
    }

    /// Reads at most a few pieces, so that a busy client does not block the others.
    private func read(_ number: ClientNumber) {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { scratch in
            for _ in 0..<4 {
                guard let client = clients[number], client.isReceptive(limits), !client.lacksRoom(limits) else {
                    return
                }
                switch UnixSocket.receive(from: client.socket, into: scratch) {
                case .moved(let count):
                    clients[number]?.reader.append(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
                    takeFrames(number)
                case .full: return
                case .gone: return close(number)
                }
            }
        }
    }

    /// Handles the complete frames while the client may send more requests.
    func takeFrames(_ number: ClientNumber) {
        while !isStopping {
            reviewHold(of: number)
            guard let client = clients[number], client.isReceptive(limits) else { break }
            do throws(FrameFault) {
                guard let message = try clients[number]?.reader.next() else { break }
                // The next frame has a separate deadline.
                clients[number]?.frameDeadline = nil
                leaveRoom(number)
                receive(message, from: number)
            } catch {
                return dismiss(number, error.failure)
            }
        }
        update(number, wrote: false)
    }

    /// Holds a client that wants a further answer while there is no room for it, and ends the hold otherwise.
    private func reviewHold(of number: ClientNumber) {
        guard let client = clients[number] else { return }
        let isFirst = client.unanswered.isEmpty && client.output.isEmpty
        let isHeld = !isFirst && memory.isFull(limits)
        if isHeld { memory.holdsClients = true }
        if isHeld != (client.phase == .held) { clients[number]?.phase = isHeld ? .held : .open }
    }

    /// Reads the next requests of held clients if there is room.
    func resumeHeld() {
        memory.countUnread(clients)
        guard memory.holdsClients, !memory.isFull(limits) else { return }
        memory.holdsClients = false
        for client in clients.values where client.phase == .held { takeFrames(client.number) }
    }

    private func beginAnswer(to request: UInt64, of number: ClientNumber) {
        clients[number]?.unanswered.insert(request)
        memory.unanswered += 1
    }

    private func receive(_ bytes: [UInt8], from number: ClientNumber) {
        let envelope: ClientEnvelope
        do {
            envelope = try ClientEnvelope.decoded(wireBytes: bytes)
        } catch {
            return dismiss(
                number,
                TransferFailure(
                    .protocolMismatch, "Could not decode a protocol message (\(error)). Update this program.")
            )
        }
        if clients[number]?.phase != .open { return greet(number, envelope) }
        let request = envelope.request
        guard clients[number]?.unanswered.contains(request) == false,
            clients[number]?.watches.contains(request) == false,
            clients[number]?.providing.contains(request) == false
        else {
            return dismiss(
                number, TransferFailure(.protocolMismatch, "Request number \(request) is already in progress."))
        }
        let key = RequestKey(client: number, number: request)
        switch envelope.message {
        case .hello:
            return dismiss(
                number, TransferFailure(.protocolMismatch, "The program sent the protocol message hello twice."))
        case .watch, .attach, .runTasks:
            guard beginStream(envelope.message, key) else { return }
            clients[number]?.watches.insert(request)
        case .unwatch(let watch):
            beginAnswer(to: request, of: number)
            endWatch(watch, of: number)
        case .provideCredentials:
            guard beginStream(envelope.message, key) else { return }
            clients[number]?.providing.insert(request)
        case .endProviding(let ended):
            beginAnswer(to: request, of: number)
            endProviding(ended, of: number)
        case .answerCredential, .session, .sessions, .status, .stop, .release, .adopt, .conditions, .setOverride,
            .traffic, .setTraffic:
            beginAnswer(to: request, of: number)
        }
        handler.request(key, envelope.message)
    }

    private func greet(_ number: ClientNumber, _ envelope: ClientEnvelope) {
        guard case .hello(let version, _) = envelope.message else {
            return dismiss(number, TransferFailure(.protocolMismatch, "The first protocol message must be hello."))
        }
        guard version == Int(Frame.version) else { return dismiss(number, FrameFault.version(version).failure) }
        clients[number]?.phase = .open
        clients[number]?.reader.limit = limits.frame
        send(
            .welcome(version: Int(Frame.version), program: program),
            to: RequestKey(client: number, number: envelope.request))
    }

    /// Sends the messages that other threads left.
    func takeMail() {
        mailbox.wake.clear()
        let mail = mailbox.collect()
        var touched: Set<ClientNumber> = []
        // Events first: an event before a reply is also sent before it, unless the client is slow.
        for (key, update, wasAsked) in mail.updates {
            if wasAsked { recordPull(of: key.client) }
            guard clients[key.client] != nil else { continue }
            touched.insert(key.client)
            guard let update, clients[key.client]?.watches.contains(key.number) == true else { continue }
            sendUpdate(update, to: key)
        }
        for (key, pull) in mail.offers where clients[key.client]?.watches.contains(key.number) == true {
            clients[key.client]?.offers.append((key.number, pull))
            requestUpdates(key.client)
        }
        requestWaiting()
        for (key, number) in mail.news where clients[key.client]?.watches.contains(key.number) == true {
            touched.insert(key.client)
            send(.news(newestEvent: number), to: key)
        }
        for (key, assignments) in mail.taskRuns where clients[key.client]?.watches.contains(key.number) == true {
            touched.insert(key.client)
            send(.taskRuns(assignments), to: key)
        }
        for (key, message) in mail.replies where clients[key.client] != nil {
            touched.insert(key.client)
            if clients[key.client]?.unanswered.remove(key.number) != nil { memory.unanswered -= 1 }
            if case .failed = message {
                endWatch(key.number, of: key.client)
                endProviding(key.number, of: key.client)
            }
            send(message, to: key)
        }
        memory.countUnread(clients)
        for number in touched {
            write(number)
            takeFrames(number)
        }
        if mail.shouldStop { isStopping = true }
    }

    func send(_ message: ServiceMessage, to key: RequestKey) {
        clients[key.client]?.output.append(frame(message, request: key.number))
        if let client = clients[key.client], client.output.count > limits.outputLimit { close(key.client) }
    }

    func frame(_ message: ServiceMessage, request: UInt64) -> [UInt8] {
        OversizeReply.frame(ServiceEnvelope(request: request, message: message), limit: limits.frame)
    }

    private func write(_ number: ClientNumber) {
        guard clients[number] != nil else { return }
        guard let moved = writeOutput(number) else { return close(number) }
        requestUpdates(number)
        update(number, wrote: moved)
    }

    private func writeOutput(_ number: ClientNumber) -> Bool? {
        guard let socket = clients[number]?.socket else { return nil }
        return clients[number]?.output.write(to: socket)
    }

    private func update(_ number: ClientNumber, wrote: Bool) {
        enterFrame(of: number)
        clients[number]?.updateDeadlines(limits, now: clock.now, wrote: wrote)
        updateInterest(of: number, mayRead: !isStopping)
    }

    func updateInterest(of number: ClientNumber, mayRead: Bool) {
        guard let client = clients[number] else { return }
        var interest: Readiness = []
        if mayRead && client.isReceptive(limits) && !client.lacksRoom(limits) { interest.insert(.readable) }
        if !client.output.isEmpty { interest.insert(.writable) }
        guard interest != client.interest else { return }
        poller.change(client.socket.number, key: Key.firstClient + number.value, interest: interest)
        clients[number]?.interest = interest
    }

    /// Sends the client the reason, and closes the connection.
    func dismiss(_ number: ClientNumber, _ failure: TransferFailure) {
        clients[number]?.output.append(frame(.failed(failure), request: 0))
        _ = writeOutput(number)
        close(number)
    }

    func close(_ number: ClientNumber) {
        guard let client = clients.removeValue(forKey: number) else { return }
        poller.remove(client.socket.number)
        frames.release(number)
        admitFrames()
        memory.streams -= client.streams.total
        memory.unanswered -= client.unanswered.count
        handler.clientLeft(number)
    }
}
