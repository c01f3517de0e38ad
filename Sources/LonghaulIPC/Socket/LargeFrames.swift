import LonghaulCore

/// The clients whose long frames are read now: their announced lengths fit into the limit together. The others wait in
/// the socket, in the order in which they started.
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

    /// Removes a client whose frame is complete, or which has disconnected.
    mutating func release(_ client: ClientNumber) {
        if let length = admitted.removeValue(forKey: client) { taken -= length }
        waiting.removeAll { $0.client == client }
    }

    /// Returns the next client for which there is room now.
    mutating func admitNext() -> ClientNumber? {
        guard let first = waiting.first, admit(first.client, first.length) else { return nil }
        waiting.removeFirst()
        return first.client
    }

    /// A frame longer than the limit is read alone.
    private mutating func admit(_ client: ClientNumber, _ length: Int) -> Bool {
        guard taken == 0 || length <= room - taken else { return false }
        admitted[client] = length
        taken += length
        return true
    }
}

extension SocketServer {
    /// Admits or queues the client's frame if it is a long one.
    func enterFrame(of number: ClientNumber) {
        guard let client = clients[number], client.lacksRoom(limits) else { return }
        if frames.enter(number, length: client.reader.begunLength) { clients[number]?.mayReadLargeFrame = true }
    }

    /// The client's frame is complete.
    func leaveRoom(_ number: ClientNumber) {
        guard clients[number]?.mayReadLargeFrame == true else { return }
        clients[number]?.mayReadLargeFrame = false
        frames.release(number)
        admitFrames()
    }

    /// Resumes reading from clients for which there is room again.
    func admitFrames() {
        while let number = frames.admitNext() {
            clients[number]?.mayReadLargeFrame = true
            clients[number]?.updateDeadlines(limits, now: clock.now, wrote: false)
            updateInterest(of: number, mayRead: !isStopping)
        }
    }
}
