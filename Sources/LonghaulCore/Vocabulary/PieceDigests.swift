/// The required digests of a file's pieces. All pieces except the last have the same length.
package struct PieceDigests: Equatable, Sendable {
    package var algorithm: Digest.Algorithm
    /// The length of each piece.
    package var length: Int64
    /// All digests, concatenated.
    package var digests: [UInt8]

    /// The maximum size stored with a transfer.
    package static let mostBytes = 2 << 20

    package init(algorithm: Digest.Algorithm, length: Int64, digests: [UInt8]) {
        self.algorithm = algorithm
        self.length = length
        self.digests = digests
    }

    package var count: Int { digests.count / algorithm.byteCount }

    /// Returns whether they cover a file of this length exactly.
    package func fit(_ total: Int64) -> Bool {
        guard length > 0, total >= 0, digests.count <= Self.mostBytes, digests.count % algorithm.byteCount == 0 else {
            return false
        }
        return Int64(count) == total / length + (total % length == 0 ? 0 : 1)
    }

    package func range(of piece: Int, in total: Int64) -> Range<Int64> {
        let start = Int64(piece) * length
        return min(start, total)..<min(start + length, total)
    }

    package func digest(of piece: Int) -> ArraySlice<UInt8> {
        digests[(piece * algorithm.byteCount)..<((piece + 1) * algorithm.byteCount)]
    }
}

/// A check of a file's pieces.
package struct PieceCheck: Equatable, Sendable {
    package var pieces: PieceDigests
    /// The required length of the whole file.
    package var total: Int64
    /// The partial file.
    package var path: String
    /// An existing file whose content the partial file gets; `nil` to check the partial file itself.
    package var source: String?

    package init(pieces: PieceDigests, total: Int64, path: String, source: String? = nil) {
        self.pieces = pieces
        self.total = total
        self.path = path
        self.source = source
    }
}

/// The result of a check.
package struct PieceReport: Equatable, Sendable {
    /// The valid pieces in the partial file, on stable storage.
    package var good: SegmentMap
    /// Whether the existing file is the requested one; then nothing was written.
    package var isSourceWhole: Bool

    package init(good: SegmentMap, isSourceWhole: Bool = false) {
        self.good = good
        self.isSourceWhole = isSourceWhole
    }
}
