import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// A separate thread that passes frames between the socket and the core until either ends.
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
            // The service may have sent the reason before it closed.
            try receive()
            throw .serviceWentAway
        }
        let wanted: Readiness = output.isEmpty ? .readable : [.readable, .writable]
        let ready = PollSet.wait([(socket.number, wanted), (core.wake.descriptor.number, .readable)], milliseconds: -1)
        if !ready[1].isEmpty { core.wake.clear() }
        if ready[0] != .writable, !ready[0].isEmpty { try receive() }
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
            if let message = try? ServiceEnvelope.decoded(wireBytes: bytes) { return message }
        } catch {
            throw error.failure
        }
        throw TransferFailure(
            .protocolMismatch,
            "longhauld sent an unknown protocol message. Update the older of the two programs.")
    }
}

extension TransferFailure {
    static let serviceWentAway = TransferFailure(
        .serviceUnavailable,
        "longhauld exited or closed the connection. Confirmed transfers are on disk and continue when longhauld runs again."
    )
}
