/// The way a response body takes into its partial file, decided once, when the head is in.
enum BodyPath: Equatable {
    /// Kept in one buffer to its end; a file worker creates, writes and closes the file at once.
    case gathered
    /// Written piece by piece by the network thread.
    case streamed

    /// The size of the pieces that are written: one that stays in the processor's cache.
    static let pieceSize = 256 << 10

    static func choose(bodyLength: Int64?) -> BodyPath {
        guard let bodyLength, bodyLength <= pieceSize else { return .streamed }
        return .gathered
    }
}
