package import LonghaulCore

/// A frame on the socket: four bytes little-endian length of what follows, one byte version, a message.
package enum Frame {
    /// The version of frames and messages this program speaks.
    package static let version: UInt8 = 1
    /// The largest frame without its length, in bytes.
    package static let limit = 8 << 20
    package static let headerLength = 5

    /// Puts a message into a frame; fails with `messageTooLarge`.
    package static func bytes(of message: some WireMessage, limit: Int = limit) throws(TransferFailure) -> [UInt8] {
        var writer = WireWriter()
        message.encode(into: &writer)
        let length = writer.bytes.count + 1
        guard length <= limit else {
            throw TransferFailure(
                .messageTooLarge,
                "A protocol message must have at most \(limit) bytes, and this one has \(length). Request less at once."
            )
        }
        var frame: [UInt8] = []
        frame.reserveCapacity(length + 4)
        withUnsafeBytes(of: UInt32(length).littleEndian) { frame.append(contentsOf: $0) }
        frame.append(version)
        frame.append(contentsOf: writer.bytes)
        return frame
    }

    /// The frame of an update whose bytes are there already, in two parts: what differs from client to client, and the
    /// update. `nil` when it would be too large.
    static func parts(ofUpdate bytes: [UInt8], request: UInt64, limit: Int) -> (head: [UInt8], body: [UInt8])? {
        var writer = WireWriter()
        writer.unsigned(request, at: 1)
        writer.begin(bytes.count, at: 4)
        let length = writer.bytes.count + bytes.count + 1
        guard length <= limit else { return nil }
        var head: [UInt8] = []
        withUnsafeBytes(of: UInt32(length).littleEndian) { head.append(contentsOf: $0) }
        head.append(version)
        head.append(contentsOf: writer.bytes)
        return (head, bytes)
    }
}

/// Why bytes are not a frame. The connection cannot go on after it.
package enum FrameFault: Error, Equatable, Sendable {
    case tooLarge(Int)
    case empty
    case version(Int)

    package var failure: TransferFailure {
        switch self {
        case .tooLarge(let length):
            TransferFailure(.messageTooLarge, "A protocol frame of \(length) bytes exceeds the limit.")
        case .empty:
            TransferFailure(.protocolMismatch, "A protocol frame has no version: it is not Longhaul's protocol.")
        case .version(let version):
            TransferFailure(
                .protocolMismatch,
                "Protocol version \(version) is not supported; this program uses version \(Frame.version). Update the older of the two programs."
            )
        }
    }
}

/// Cuts a stream of bytes into frames. It holds what has arrived of one frame, never what a length only announces.
package struct FrameReader {
    /// The largest frame taken, without its length.
    package var limit: Int
    private var buffer: [UInt8] = []
    private var position = 0

    package init(limit: Int = Frame.limit) {
        self.limit = limit
    }

    /// Whether bytes of a frame are here, all of it or a part.
    package var hasBegunFrame: Bool { position < buffer.count }

    /// How many bytes can be read now that surely belong to the frame that has begun, or begins: at least one.
    package var bytesWanted: Int {
        let available = buffer.count - position
        return max(1, available < 4 ? 4 - available : 4 + announcedLength - available)
    }

    /// How long the frame is that has begun, with its length, as far as that is known: what it may come to hold.
    package var begunLength: Int {
        let available = buffer.count - position
        return available < 4 ? available : 4 + announcedLength
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if position > 0 {
            buffer.removeFirst(position)
            position = 0
        }
        let count = buffer.count + bytes.count
        // Room grows with what has come, and never far beyond the frame's end: a length alone takes no memory.
        if count > buffer.capacity { buffer.reserveCapacity(max(count, min(2 * count, begunLength))) }
        buffer.append(contentsOf: bytes)
    }

    /// The next frame's message, or `nil` until all of it is there.
    package mutating func next() throws(FrameFault) -> [UInt8]? {
        let available = buffer.count - position
        guard available >= 4 else { return nil }
        let length = announcedLength
        guard length > 0 else { throw .empty }
        guard length <= limit else { throw .tooLarge(length) }
        guard available > 4 else { return nil }
        guard buffer[position + 4] == Frame.version else { throw .version(Int(buffer[position + 4])) }
        guard available >= 4 + length else { return nil }
        let message = Array(buffer[(position + Frame.headerLength)..<(position + 4 + length)])
        position += 4 + length
        if position == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= Self.keptCapacity)
            position = 0
        } else if buffer.capacity > Self.keptCapacity, buffer.count - position <= Self.keptCapacity {
            // The next frame has begun; the memory of this one does not wait for the rest of that.
            buffer = Array(buffer[position...])
            position = 0
        }
        return message
    }

    private static let keptCapacity = 64 << 10

    private var announcedLength: Int {
        (0..<4).reduce(0) { $0 | Int(buffer[position + $1]) << (8 * $1) }
    }
}
