import LonghaulCore

/// Which clients' long frames are read now: together they announce no more than there is room for. The others wait in the
/// socket, in the order in which they began.
struct LargeFrames {
    private let room: Int
    private var taken = 0
    private var admitted: [ClientNumber: Int] = [:]
    private var waiting: [(client: ClientNumber, length: Int)] = []

    init(room: Int) {
        self.room = room
    }

    /// Whether the client's frame may be read; if not, the client waits from now on.
    mutating func enter(_ client: ClientNumber, length: Int) -> Bool {
        if admitted[client] != nil { return true }
        if waiting.isEmpty, admit(client, length) { return true }
        if !waiting.contains(where: { $0.client == client }) { waiting.append((client, length)) }
        return false
    }

    /// The frame is complete, or its client is gone.
    mutating func leave(_ client: ClientNumber) {
        if let length = admitted.removeValue(forKey: client) { taken -= length }
        waiting.removeAll { $0.client == client }
    }

    /// The next one for whom there is room now.
    mutating func admitNext() -> ClientNumber? {
        guard let first = waiting.first, admit(first.client, first.length) else { return nil }
        waiting.removeFirst()
        return first.client
    }

    /// A frame that is longer than all room is read when it is alone.
    private mutating func admit(_ client: ClientNumber, _ length: Int) -> Bool {
        guard taken == 0 || length <= room - taken else { return false }
        admitted[client] = length
        taken += length
        return true
    }
}

extension SocketServer {
    /// Has the client's frame admitted, or put in line, if it has turned out to be a long one.
    func enterFrame(of number: ClientNumber) {
        guard let client = clients[number], client.lacksRoom(limits) else { return }
        if frames.enter(number, length: client.reader.begunLength) { clients[number]?.mayReadLargeFrame = true }
    }

    /// The client's frame is complete.
    func leaveRoom(_ number: ClientNumber) {
        guard clients[number]?.mayReadLargeFrame == true else { return }
        clients[number]?.mayReadLargeFrame = false
        frames.leave(number)
        admitFrames()
    }

    /// Lets those read on for whom there is room again.
    func admitFrames() {
        while let number = frames.admitNext() {
            clients[number]?.mayReadLargeFrame = true
            clients[number]?.updateDeadlines(limits, now: clock.now, wrote: false)
            updateInterest(of: number, mayRead: !isStopping)
        }
    }
}
