/// The digests that the pieces of a file must have: each has the same length but the last one.
package struct PieceDigests: Equatable, Sendable {
    package var algorithm: Digest.Algorithm
    /// How long each piece is.
    package var length: Int64
    /// All digests, one after the other.
    package var digests: [UInt8]

    /// More than this is not taken along with a transfer.
    package static let mostBytes = 2 << 20

    package init(algorithm: Digest.Algorithm, length: Int64, digests: [UInt8]) {
        self.algorithm = algorithm
        self.length = length
        self.digests = digests
    }

    package var count: Int { digests.count / algorithm.byteCount }

    /// Whether they are those of a file of this length, each of them.
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

/// What is to be found out of the pieces of a file.
package struct PieceCheck: Equatable, Sendable {
    package var pieces: PieceDigests
    /// How long the whole must be.
    package var total: Int64
    /// The partial file.
    package var path: String
    /// A file that was there before, whose content the partial file gets; `nil` where the partial file itself is looked at.
    package var source: String?

    package init(pieces: PieceDigests, total: Int64, path: String, source: String? = nil) {
        self.pieces = pieces
        self.total = total
        self.path = path
        self.source = source
    }
}

/// What was found out.
package struct PieceReport: Equatable, Sendable {
    /// The pieces that are in the partial file as they must be, on stable storage.
    package var good: SegmentMap
    /// Whether the file that was there before is just what is wanted; then nothing was written.
    package var isSourceWhole: Bool

    package init(good: SegmentMap, isSourceWhole: Bool = false) {
        self.good = good
        self.isSourceWhole = isSourceWhole
    }
}
