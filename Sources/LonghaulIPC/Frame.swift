package import LonghaulCore

/// A frame on the socket: four bytes little-endian length of the rest, one byte version, a message.
package enum Frame {
    /// The version of frames and messages this program speaks.
    package static let version: UInt8 = 1
    /// The largest frame without its length, in bytes.
    package static let limit = 8 << 20
    package static let headerLength = 5

    /// Encodes a message as a frame; fails with `messageTooLarge`.
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

    /// Returns the frame of an encoded update in two parts: the part that differs between clients, and the update.
    /// `nil` if the frame would be too large.
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

/// Why bytes are not a frame. The connection cannot continue after it.
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

/// Splits a stream of bytes into frames. It buffers only the bytes of a frame that have arrived, not the announced length.
package struct FrameReader {
    /// The largest accepted frame, without its length.
    package var limit: Int
    private var buffer: [UInt8] = []
    private var position = 0

    package init(limit: Int = Frame.limit) {
        self.limit = limit
    }

    /// Whether some or all bytes of a frame are buffered.
    package var hasBegunFrame: Bool { position < buffer.count }

    /// The number of bytes, at least one, that can be read without exceeding the current or next frame.
    package var bytesWanted: Int {
        let available = buffer.count - position
        return max(1, available < 4 ? 4 - available : 4 + announcedLength - available)
    }

    /// The known length of the current frame, including its length field: an upper bound for its buffer.
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
        // The buffer grows with the received bytes, and never far beyond the frame's end: a length alone allocates no memory.
        if count > buffer.capacity { buffer.reserveCapacity(max(count, min(2 * count, begunLength))) }
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next frame's message; `nil` until the frame is complete.
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
            // The next frame has started; this frame's memory is released before the rest of it arrives.
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
