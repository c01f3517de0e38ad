import LonghaulCore
import LonghaulFiles
import LonghaulSystem

/// The way a body takes, decided once: for a response when its head is in, for a request when its first bytes are out.
enum BodyPath: Equatable {
    /// Kept in one buffer to its end; a file worker creates, writes and closes the file at once.
    case gathered
    /// Written piece by piece by the network thread.
    case streamed
    /// Handed in pieces to a thread that writes them, past the page cache where the file system can.
    case handedOver
    /// As `handedOver`, and read from the socket by the engine itself: libcurl is left out from here on.
    case takenOver

    /// The size of pieces where many are on their way at once: what each of them holds counts then.
    static let smallPieceSize = 64 << 10
}

/// What decides about a response's path.
struct ResponseTraits {
    /// Bytes still to come for the file; `nil` when nobody knows.
    var bodyLength: Int64?
    /// Whether the message's end is told by `Content-Length` alone: the bytes on the wire are the body's, and counted.
    var isFramedByLength = false
    /// Whether the bytes on the connection are those of HTTP/1: no TLS, also not to a proxy.
    var isPlain = false
    var isRateLimited = false
    /// Whether its connection is worth more than the work that libcurl makes: only libcurl can use it again.
    var keepsConnection = false
    /// Whether the bytes are digested on their way, which takes as long as receiving them.
    var isDigested = false
    /// Whether this request has sent its body, if it had one.
    var hasSentAll = true
}

/// Which paths there are. The limits are those of measurements; tests set others, to send every body one way.
package struct BodyPathRule: Equatable, Sendable {
    /// Bodies up to this length are gathered.
    package var longestGathered = Int64(PartialFile.pieceSize)
    /// Bodies from this length on are worth a thread that writes them.
    package var shortestTakenOver: Int64 = 4 << 20
    /// Whether the engine itself reads responses from libcurl's connections.
    package var takesOver = true
    /// Whether the engine itself sends files on libcurl's connections.
    package var sendsFiles = true
    /// Whether long bodies that stay with libcurl are handed to a thread.
    package var handsOver = true
    /// Whether a background download makes room for others by its connection's window; by its pace if not, as the person chooses who
    /// wants all bodies to go through libcurl.
    package var boundsWindows = ThisProcess.variable(DirectPaths.variable) != "plain"
    /// How much libcurl reads at once, at most; `nil` lets the engine choose.
    package var receiveBuffer: Int?

    package init() {}

    /// The rule without the paths past libcurl that must not be taken.
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
        // One whose end nobody knows is short as a rule; digesting it would hold up the others if it is not.
        let isWorthAThread = isLong || response.bodyLength == nil && response.isDigested
        return handsOver && isWorthAThread ? .handedOver : .streamed
    }

    /// Whether a body of so many bytes may hold a part that leaves by `sendfile`: then its length is not told to libcurl.
    func mayBeSentDirectly(_ length: Int64, isPlain: @autoclosure () -> Bool) -> Bool {
        sendsFiles && length >= min(shortestTakenOver, 1 << 20) && isPlain()
    }
}
