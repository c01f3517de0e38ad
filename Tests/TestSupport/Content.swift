import CTestSupport
import Glibc

/// Pseudo-random bytes generated on demand: gigabytes take no memory, and any range is available at once.
package struct Content: Hashable, Sendable {
    package var seed: UInt64
    package var length: Int64

    package init(seed: UInt64, length: Int64) {
        self.seed = seed
        self.length = length
    }

    /// Fills a buffer with the bytes from `offset`.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int64) {
        guard let base = buffer.baseAddress else { return }
        test_fill(seed, UInt64(offset), base, buffer.count)
    }

    /// Returns the bytes of a range; all bytes by default.
    package func bytes(_ range: Range<Int64>? = nil) -> [UInt8] {
        let range = range ?? 0..<length
        return [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            fill(UnsafeMutableRawBufferPointer(buffer), from: range.lowerBound)
            count = range.count
        }
    }

    /// Runs through the content in pieces.
    package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { piece.deallocate() }
        var offset: Int64 = 0
        while offset < length {
            let part = UnsafeMutableRawBufferPointer(rebasing: piece[..<Int(min(Int64(piece.count), length - offset))])
            fill(part, from: offset)
            try body(UnsafeRawBufferPointer(part))
            offset += Int64(part.count)
        }
    }

    /// Its checksum; a server that received exactly this content has the same in its log.
    package var checksum: Checksum {
        var sum = Checksum()
        forEachPiece { sum.add($0) }
        return sum
    }

    /// Its SHA-256 in base64, as `Repr-Digest` has it between colons.
    package var sha256Base64: String { digest("SHA256") }

    /// Its MD5 in base64, as `Content-MD5` has it.
    package var md5Base64: String { digest("MD5") }

    private func digest(_ algorithm: String) -> String {
        var text = [CChar](repeating: 0, count: 128)
        test_digest(algorithm, seed, UInt64(length), &text)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// An incremental checksum of bytes, which is meaningful in this process only.
package struct Checksum: Hashable, Sendable, CustomStringConvertible {
    private var value: UInt64 = 0xFFFF_FFFF

    package init() {}

    package init(of bytes: [UInt8]) {
        bytes.withUnsafeBytes { add($0) }
    }

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        value = test_checksum(value, bytes.baseAddress, bytes.count)
    }

    package var description: String { String(value, radix: 16) }
}

/// Returns pseudo-random bytes: the same seed produces the same bytes, on the server as well.
package func contentBytes(seed: UInt64, length: Int) -> [UInt8] {
    Content(seed: seed, length: Int64(length)).bytes()
}

/// Compares the bytes in one call. The standard library's operator, which is not optimized for bytes in a debug build, calls
/// several functions for each byte.
package func == (left: [UInt8], right: [UInt8]) -> Bool {
    left.count == right.count && (left.isEmpty || memcmp(left, right, left.count) == 0)
}
