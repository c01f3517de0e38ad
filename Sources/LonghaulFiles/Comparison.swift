package import LonghaulCore
import LonghaulSystem

/// The comparison of a resumed body's first bytes with the end of the partial file.
package final class Comparison {
    /// Where the bytes after the overlap go.
    package let file: PartialFile
    private let expected: [UInt8]
    private var compared = 0

    package init(
        path: String, from: Int64, overlap: Int64, bodyLength: Int64?, digests: Set<Digest.Algorithm>,
        isShared: Bool
    ) throws(TransferFailure) {
        expected = try readTail(of: path, from: from, count: Int(clamping: overlap))
        file = PartialFile(
            path: path, start: from + overlap, bodyLength: bodyLength.map { max($0 - overlap, 0) }, digests: digests,
            isShared: isShared)
    }

    package var isComplete: Bool { compared == expected.count }

    /// Compares as much of `bytes` as belongs to the overlap and returns how much that was; `nil` when they differ.
    package func take(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let count = min(bytes.count, expected.count - compared)
        guard bytes.prefix(count).elementsEqual(expected[compared..<(compared + count)]) else { return nil }
        compared += count
        return count
    }
}

private func readTail(of path: String, from: Int64, count: Int) throws(TransferFailure) -> [UInt8] {
    let file = try receiving(path) { () throws(SystemError) in try Descriptor(opening: path, [.reading, .noLink]) }
    if let bytes = file.bytes(at: from, count: count) { return bytes }
    throw TransferFailure(.fileFailed, "\(path) is shorter than the bytes to go on from. Start it again.")
}
