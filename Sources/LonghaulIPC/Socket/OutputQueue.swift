import LonghaulCore
package import LonghaulSystem

/// Frames for a socket that may be full.
package struct OutputQueue {
    /// Bytes not yet accepted by the kernel.
    package private(set) var count = 0
    private var frames: [[UInt8]] = []
    private var next = 0
    private var offset = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package mutating func append(_ frame: [UInt8]) {
        frames.append(frame)
        count += frame.count
    }

    /// Writes as much as the socket accepts. Returns whether any bytes were written; `nil` if the other end is closed.
    package mutating func write(to socket: Descriptor) -> Bool? {
        let before = count
        while next < frames.count {
            let outcome = frames[next].withUnsafeBytes { bytes in
                UnixSocket.send(UnsafeRawBufferPointer(rebasing: bytes[offset...]), to: socket)
            }
            switch outcome {
            case .moved(let moved): advance(by: moved)
            case .full: return count < before
            case .gone: return nil
            }
        }
        return count < before
    }

    private mutating func advance(by moved: Int) {
        count -= moved
        offset += moved
        guard offset == frames[next].count else { return }
        frames[next] = []
        offset = 0
        next += 1
        if next == frames.count || next >= 64 {
            frames.removeFirst(next)
            next = 0
        }
    }
}
