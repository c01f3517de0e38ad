/// Decides whether a server stored enough of a request that sent the whole rest of an upload.
///
/// The next request sends the rest again. A server that stores a byte of each request would receive the file once for
/// every byte, so too little counts as a failed attempt.
enum UploadProgressRule {
    /// The share of the arrived bytes that must be stored, as a divisor.
    private static let leastShare: Int64 = 16
    /// The number of stored bytes that is enough if the others may have been in transit.
    private static let leastStored: Int64 = 16 << 10
    /// The most bytes that the buffers between this process and the server may contain. They count as sent.
    static let mostInTransit: Int64 = 8 << 20

    /// Returns whether `stored` bytes of the `sent` bytes are progress.
    static func isEnough(stored: Int64, ofSent sent: Int64) -> Bool {
        let fewest = max(min(sent / leastShare, leastStored), (sent - mostInTransit) / leastShare)
        return stored > 0 && stored >= fewest
    }
}
