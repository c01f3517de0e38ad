import LonghaulCore

/// The peer is gone, or the server stops.
struct Ended: Error {}

/// One exchange as the script of a reply sees it, whatever carries it.
protocol ExchangeStream {
    /// Whether the head announced a body with a byte in it.
    var announcesBody: Bool { get }
    /// Whether the client waits for leave to send its body.
    var asksToContinue: Bool { get }
    /// Waits until it is known whether the request's body goes on.
    func hasMoreBody() throws(Ended) -> Bool
    /// Takes what is there of a body that goes on, at most `limit` bytes.
    func readBody(atMost limit: Int64, _ body: (UnsafeRawBufferPointer) -> Void) throws(Ended) -> Int64
    /// A 1xx head.
    func sendInterim(_ status: Int, _ fields: [HeaderField]) throws(Ended)
    /// The final head. Without a body it is the answer's end as well.
    func sendHead(_ head: ResponseHead, hasBody: Bool) throws(Ended)
    func sendBody(_ bytes: [UInt8]) throws(Ended)
    /// Tells the end of a body as the head said that it would be told.
    func endBody() throws(Ended)
    /// Instead of an answer.
    func sendRaw(_ bytes: [UInt8]) throws(Ended)
}

/// The final head of an answer.
struct ResponseHead {
    var version: String
    var status: Int
    var reason: String?
    var fields: [HeaderField]
    var framing: Reply.Framing
}

/// What becomes of an exchange's stream, or of its connection, after its script.
enum ExchangeEnd {
    case nextRequest
    /// An orderly end of the connection.
    case finish
    /// The connection ends at once; that is a reset if the peer is still sending.
    case hangUp
    /// The answer was given before the request's end, and nobody looks at the rest.
    case refuseRest
    /// The exchange is broken off: its connection on HTTP/1.1, its stream on HTTP/2.
    case reset
}
