import LonghaulCore
import LonghaulFiles
import LonghaulSystem

/// The path of a body, chosen once: for a response after its headers, for a request after its first bytes.
enum BodyPath: Equatable {
    /// Collected in one buffer to its end. A file worker creates, writes, and closes the file at once.
    case gathered
    /// Written chunk by chunk by the network thread.
    case streamed
    /// Passed in chunks to a thread that writes them, past the page cache if the file system supports it.
    case handedOver
    /// As `handedOver`, but the engine itself reads from the socket, and bypasses libcurl from here on.
    case takenOver

    /// The size of chunks while many are in flight at once, so that memory matters.
    static let smallPieceSize = 64 << 10
}

/// The facts that decide a response's path.
struct ResponseTraits {
    /// Bytes still to come for the file; `nil` if unknown.
    var bodyLength: Int64?
    /// Whether `Content-Length` alone marks the end of the message, so that the bytes on the wire are exactly those of
    /// the body.
    var isFramedByLength = false
    /// Whether the connection carries plain HTTP/1: no TLS, not even to a proxy.
    var isPlain = false
    var isRateLimited = false
    /// Whether reusing the connection is worth more than the work that bypassing libcurl saves. Only libcurl can reuse
    /// it.
    var keepsConnection = false
    /// Whether the bytes are hashed on arrival, which takes as long as receiving them.
    var isDigested = false
    /// Whether this request has sent its body, if it had one.
    var hasSentAll = true
}

/// The available paths. The limits come from benchmarks; tests set others to send every body over one path.
package struct BodyPathRule: Equatable, Sendable {
    /// The maximum length of a body that is gathered.
    package var longestGathered = Int64(PartialFile.pieceSize)
    /// The minimum length of a body that gets a thread for writing.
    package var shortestTakenOver: Int64 = 4 << 20
    /// Whether the engine itself reads responses from libcurl's connections.
    package var takesOver = true
    /// Whether the engine itself sends files on libcurl's connections.
    package var sendsFiles = true
    /// Whether long bodies that stay with libcurl are passed to a thread.
    package var handsOver = true
    /// Whether a background download yields by its connection's receive window. Otherwise it yields by its pace, as the
    /// user chooses by sending all bodies through libcurl.
    package var boundsWindows = ThisProcess.variable(DirectPaths.variable) != "plain"
    /// The maximum number of bytes that libcurl reads at once; `nil` lets the engine choose.
    package var receiveBuffer: Int?

    package init() {}

    /// Returns the rule without the direct paths that are forbidden.
    func limited(to paths: DirectPaths) -> BodyPathRule {
        var rule = self
        rule.takesOver = takesOver && paths.receives
        rule.sendsFiles = sendsFiles && paths.sends
        return rule
    }

    func path(of response: ResponseTraits) -> BodyPath {
        if let length = response.bodyLength, length <= longestGathered { return .gathered }
        guard !response.isRateLimited else { return .streamed }
        let isLong = (response.bodyLength ?? 0) >= shortestTakenOver
        let mayBeTaken = !response.keepsConnection && response.isFramedByLength && response.hasSentAll
        if takesOver, isLong, response.isPlain, mayBeTaken { return .takenOver }
        // A body of unknown length is usually short. If it is not, hashing it would delay other exchanges.
        let isWorthAThread = isLong || response.bodyLength == nil && response.isDigested
        return handsOver && isWorthAThread ? .handedOver : .streamed
    }

    /// Returns whether a body of this length may contain a part that is sent by `sendfile`. If so, libcurl does not
    /// learn the length.
    func mayBeSentDirectly(_ length: Int64, isPlain: @autoclosure () -> Bool) -> Bool {
        sendsFiles && length >= min(shortestTakenOver, 1 << 20) && isPlain()
    }
}
