import LonghaulCore

/// The watches and streams of clients: their memory limits, and their updates.
///
/// An update is made only when its client has room for it, and few are made at a time. So a client that does not read
/// costs no more than its requests, however many watches it has and whatever happens meanwhile.
extension SocketServer {
    /// Starts a stream. Returns `false`, after sending a refusal, if the stream would exceed a limit.
    func beginStream(_ message: ClientMessage, _ key: RequestKey) -> Bool {
        var bytes = limits.streamBytes
        if case .watch(_, .ids(let ids), _) = message { bytes += ids.count * limits.nameBytes }
        guard let client = clients[key.client] else { return false }
        let isTooMuch = client.streams.total + bytes > limits.watchBytesOfClient
        guard !isTooMuch, memory.streams + bytes <= limits.watchBytes else {
            send(
                .failed(
                    isTooMuch
                        ? TransferFailure(
                            .serviceUnavailable,
                            "The watches of this program exceed its memory limit. End some, or watch a group or a whole "
                                + "session instead of single transfers.")
                        : TransferFailure(
                            .serviceUnavailable,
                            "The watches of all programs exceed their memory limit. End some, or watch a group or a whole "
                                + "session instead of single transfers.")),
                to: key)
            return false
        }
        clients[key.client]?.streams.add(key.number, bytes)
        memory.streams += bytes
        return true
    }

    func endWatch(_ watch: UInt64, of number: ClientNumber) {
        guard clients[number]?.watches.remove(watch) != nil else { return }
        clients[number]?.offers.removeAll { $0.watch == watch }
        endStream(watch, of: number)
    }

    func endProviding(_ stream: UInt64, of number: ClientNumber) {
        guard clients[number]?.providing.remove(stream) != nil else { return }
        endStream(stream, of: number)
    }

    private func endStream(_ stream: UInt64, of number: ClientNumber) {
        guard let bytes = clients[number]?.streams.remove(stream) else { return }
        memory.streams -= bytes
    }

    /// Requests updates while few bytes are waiting to be read.
    func requestUpdates(_ number: ClientNumber) {
        while let client = clients[number], client.output.count < limits.updateLowWater,
            client.pulls < limits.pullsOfClient, let offer = client.offers.first
        {
            guard pulls < limits.pulls else {
                if !waitingForPulls.contains(number) { waitingForPulls.append(number) }
                return
            }
            clients[number]?.offers.removeFirst()
            clients[number]?.pulls += 1
            pulls += 1
            let key = RequestKey(client: number, number: offer.watch)
            offer.pull { [mailbox] update in mailbox.answer(update, to: key) }
        }
    }

    /// Requests updates for the clients that waited because too many were being made.
    func requestWaiting() {
        let waiting = waitingForPulls
        waitingForPulls = []
        for number in waiting { requestUpdates(number) }
    }

    /// Records that an update has arrived, or that there was none.
    func recordPull(of number: ClientNumber) {
        pulls -= 1
        clients[number]?.pulls -= 1
    }

    /// Sends an update. Clients that get the same update share its bytes.
    func sendUpdate(_ update: WatchUpdate, to key: RequestKey) {
        if let frame = latestUpdate.frame(update, request: key.number, limit: limits.frame) {
            clients[key.client]?.output.append(frame.head)
            clients[key.client]?.output.append(frame.body)
        } else {
            for frame in OversizeReply.frames(update, request: key.number, limit: limits.frame) {
                clients[key.client]?.output.append(frame)
            }
        }
    }
}

/// The latest encoded update: the next client often gets the same one.
struct EncodedUpdate {
    private var update: WatchUpdate?
    private var bytes: [UInt8] = []

    /// Returns a frame in two parts, of which the second is the same for all; `nil` if it is too large.
    mutating func frame(_ update: WatchUpdate, request: UInt64, limit: Int) -> (head: [UInt8], body: [UInt8])? {
        // Comparing two copies of the same update does not compare their elements.
        if self.update != update {
            self.update = update
            bytes = update.wireBytes
        }
        return Frame.parts(ofUpdate: bytes, request: request, limit: limit)
    }
}
