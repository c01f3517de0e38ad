import Glibc
import LonghaulCore
import LonghaulIPC

/// Moves frames between the socket and the core, on a thread of its own, until one of the two ends.
struct ConnectionThread {
    let core: ConnectionCore
    let socket: Descriptor
    private var reader = FrameReader()
    private var output = OutputQueue()

    init(core: ConnectionCore, socket: Descriptor) {
        self.core = core
        self.socket = socket
    }

    mutating func run() {
        while core.ending == nil {
            do throws(TransferFailure) {
                try turn()
            } catch {
                core.end(error)
            }
        }
    }

    private mutating func turn() throws(TransferFailure) {
        for frame in core.takeOutbox() { output.append(frame) }
        if output.write(to: socket) == nil {
            // The service may have said why before it closed.
            try receive()
            throw .serviceWentAway
        }
        let wanted = Int16(output.isEmpty ? POLLIN : POLLIN | POLLOUT)
        let ready = PollSet.wait(
            [(socket.number, wanted), (core.wake.descriptor.number, Int16(POLLIN))], milliseconds: -1)
        if ready[1] != 0 { core.wake.clear() }
        if ready[0] & ~Int16(POLLOUT) != 0 { try receive() }
    }

    private mutating func receive() throws(TransferFailure) {
        var isGone = false
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { scratch in
            switch UnixSocket.receive(from: socket, into: scratch) {
            case .moved(let count): reader.append(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
            case .full: break
            case .gone: isGone = true
            }
        }
        while let message = try nextMessage() {
            if message.request == 0, case .failed(let failure) = message.message { throw failure }
            core.deliver(message)
        }
        if isGone { throw .serviceWentAway }
    }

    private mutating func nextMessage() throws(TransferFailure) -> ServiceEnvelope? {
        do throws(FrameFault) {
            guard let bytes = try reader.next() else { return nil }
            if let message = try? ServiceEnvelope(wireBytes: bytes) { return message }
        } catch {
            throw error.failure
        }
        throw TransferFailure(
            .protocolMismatch,
            "longhauld sent a message that is not understood here. Update the older of the two programs.")
    }
}

/// `poll(2)` over a few descriptors.
enum PollSet {
    /// Waits for at most `milliseconds` (-1: for ever); what each descriptor is ready for, in order.
    static func wait(_ wanted: [(descriptor: Int32, events: Int16)], milliseconds: Int32) -> [Int16] {
        var set = wanted.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        let count = poll(&set, nfds_t(set.count), milliseconds)
        guard count >= 0 else {
            precondition(errno == EINTR, "Waiting for the service failed: error \(errno).")
            return set.map { _ in 0 }
        }
        return set.map(\.revents)
    }
}

extension TransferFailure {
    static let serviceWentAway = TransferFailure(
        .serviceUnavailable,
        "longhauld ended or closed the connection. What it had confirmed is on disk and goes on when it runs again.")
}
