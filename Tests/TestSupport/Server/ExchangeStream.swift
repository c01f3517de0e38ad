import LonghaulCore

/// The peer has disconnected, or the server stops.
struct Ended: Error {}

/// One exchange as the script of a reply sees it, over any protocol.
protocol ExchangeStream {
    /// Whether the headers announced a body that is not empty.
    var announcesBody: Bool { get }
    /// Whether the client waits for permission to send its body.
    var asksToContinue: Bool { get }
    /// Waits until it is known whether the request's body continues. Returns whether it does.
    func hasMoreBody() throws(Ended) -> Bool
    /// Reads the available bytes of a body, at most `limit`.
    func readBody(atMost limit: Int64, _ body: (UnsafeRawBufferPointer) -> Void) throws(Ended) -> Int64
    /// Sends a 1xx response.
    func sendInterim(_ status: Int, _ fields: [HeaderField]) throws(Ended)
    /// Sends the final headers. Without a body, they also end the response.
    func sendHead(_ head: ResponseHead, hasBody: Bool) throws(Ended)
    func sendBody(_ bytes: [UInt8]) throws(Ended)
    /// Marks the end of a body in the way that the headers announced.
    func endBody() throws(Ended)
    /// Sends bytes instead of a response.
    func sendRaw(_ bytes: [UInt8]) throws(Ended)
}

/// The final headers of a response.
struct ResponseHead {
    var version: String
    var status: Int
    var reason: String?
    var fields: [HeaderField]
    var framing: Reply.Framing
}

/// The handling of an exchange's stream, or of its connection, after its script.
enum ExchangeEnd {
    case nextRequest
    /// A normal end of the connection.
    case finish
    /// The connection ends at once; that is a reset if the peer is still sending.
    case hangUp
    /// The response was sent before the request's end, and the rest is not read.
    case refuseRest
    /// The exchange is interrupted: its connection on HTTP/1.1, its stream on HTTP/2.
    case reset
}
