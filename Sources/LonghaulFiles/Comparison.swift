package import LonghaulCore
import LonghaulSystem

/// The overlap at the start of a range, which is compared with existing bytes: the end of the partial file, or of the
/// previous range.
package final class Comparison {
    /// The offset of the bytes after the overlap.
    package private(set) var end: Int64
    /// The last bytes of the overlap, if it is compared later.
    package private(set) var sample: [UInt8] = []
    /// The expected bytes; `nil` if the file may not have them yet.
    private let expected: [UInt8]?
    private let start: Int64
    private let overlap: Int
    private var compared = 0
    private let makeFile: (_ start: Int64) -> PartialFile

    /// - Parameter isLater: Whether another connection may still fetch the previous bytes, so that the overlap is kept.
    package init(
        path: String, from: Int64, overlap: Int64, bodyLength: Int64?, digests: Set<Digest.Algorithm>,
        isShared: Bool, isLater: Bool
    ) throws(TransferFailure) {
        self.overlap = Int(clamping: overlap)
        expected = isLater ? nil : try readPart(of: path, from..<from + overlap)
        start = from
        end = from + overlap
        makeFile = { start in
            PartialFile(
                path: path, start: start, bodyLength: bodyLength.map { max($0 - (start - from), 0) }, digests: digests,
                isShared: isShared)
        }
    }

    package var isComplete: Bool { Int64(compared) == end - start }

    /// Adds the bytes of another connection to the overlap, up to this offset.
    package func extend(to position: Int64) { end = max(end, position) }

    /// Returns the file for the bytes after the overlap.
    package func file() -> PartialFile { makeFile(end) }

    /// Compares the part of `bytes` that belongs to the overlap, and returns its length; `nil` if they differ.
    package func compare(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let count = min(bytes.count, Int(clamping: end - start) - compared)
        if let expected {
            guard bytes.prefix(count).elementsEqual(expected[compared..<(compared + count)]) else { return nil }
        } else {
            sample += bytes.prefix(count)
            sample.removeFirst(max(sample.count - overlap, 0))
        }
        compared += count
        return count
    }
}

/// Returns bytes of a partial file that were written before.
package func readPart(of path: String, _ range: Range<Int64>) throws(TransferFailure) -> [UInt8] {
    let file = try receiving(path) { () throws(SystemError) in try Descriptor(opening: path, [.reading, .noLink]) }
    if let bytes = file.bytes(at: range.lowerBound, count: range.count) { return bytes }
    throw TransferFailure(
        .fileFailed, "The partial file \(path) is shorter than its synced length. Restart the download.")
}
