package import LonghaulCore

/// One response of the server, with all its faults.
package struct Reply: Sendable {
    /// `nil` lets `resource` and the request decide (200, 206, 304, 412, 416).
    package var status: Int?
    /// `nil` is the usual one; an empty reason is sent as such.
    package var reason: String?
    package var version = "HTTP/1.1"
    /// Added to the headers that the response needs. They are not checked: two different lengths are possible.
    package var headers: [HeaderField] = []
    package var date = DateField.now
    package var resource: Resource?
    /// The body if there is no resource.
    package var body: [UInt8] = []
    package var framing = Framing.contentLength
    /// The handling of the request's body.
    package var intake = Intake.whole
    package var interims: [Interim] = []
    /// Whether the server responds to `Expect: 100-continue` with 100.
    package var continues = true
    /// The final headers wait at this gate after the request's body was read.
    package var latch: Latch?
    /// The faults of the response body; positions are in bytes of this body.
    package var faults: [Fault] = []
    /// The limit of response body bytes per second.
    package var rate: Int64?
    package var ending = Ending.keepsAlive
    /// The code of a reset on HTTP/2.
    package var resetCode = StreamError.internalError
    /// The rest of the request body after an early, complete response on HTTP/2.
    package var rest = Rest.refused
    /// Bytes on the idle connection after the response, over HTTP/1.1, once the latch opens. The latch has another arrival when they
    /// have been sent.
    package var stray: (bytes: [UInt8], latch: Latch)?
    /// Sent instead of everything else; the connection is closed after it.
    package var raw: [UInt8]?
    /// Called with the request's body as it arrives.
    package var onBody: (@Sendable (UnsafeRawBufferPointer) -> Void)?
    /// Called after the request's body ended (or was cut); returns the reply to send instead of this one.
    package var afterBody: (@Sendable (ReceivedRequest) -> Reply)?

    package init(status: Int? = nil) {
        self.status = status
    }

    package enum DateField: Sendable {
        case now
        case fixed(WallTime)
        case absent
    }

    /// How the end of the response body is marked.
    package enum Framing: Sendable {
        case contentLength
        /// `Content-Length` is too large by this many bytes (or too small); then the connection is closed.
        case contentLengthOff(by: Int64)
        case chunked
        /// Every chunk is sent except the last one; then the connection is closed.
        case chunkedWithoutEnd
        /// Closing the connection marks the end.
        case untilClose
    }

    package enum Intake: Sendable {
        case whole
        /// Responds at once and reads none of the body. Then the connection is closed even if the client is still sending, which is a
        /// reset and can destroy the response. With `Ending.closes`, the rest is read, and the response is safe.
        case none
        /// Responds early, after this many bytes; then as `none`.
        case answer(after: Int64)
        /// Ends the connection without a response after this many bytes, if the body is longer.
        case cut(after: Int64)
        case reset(after: Int64)
        /// Stops reading until the latch opens.
        case stall(after: Int64, Latch)
    }

    package enum Rest: CaseIterable, Sendable {
        /// RST_STREAM(NO_ERROR) follows the response (RFC 9113, section 8.1).
        case refused
        /// As `refused`, in one write with the response, so that one read gets both.
        case refusedAtOnce
        /// The rest is received and dropped.
        case letGo
    }

    /// A 1xx response before the final one.
    package struct Interim: Sendable {
        package enum Moment: Sendable {
            case beforeBody
            case beforeAnswer
        }

        package var status: Int
        package var headers: [HeaderField]
        package var moment: Moment

        package init(_ status: Int, headers: [HeaderField] = [], moment: Moment = .beforeBody) {
            self.status = status
            self.headers = headers
            self.moment = moment
        }
    }

    package enum Fault: Sendable {
        /// Ends the connection as if the body were complete.
        case cut(after: Int64)
        case reset(after: Int64)
        /// Stops sending until the latch opens.
        case stall(after: Int64, Latch)

        var offset: Int64 {
            switch self {
            case .cut(let offset), .reset(let offset), .stall(let offset, _): offset
            }
        }
    }

    /// RST_STREAM codes (RFC 9113, section 7).
    package enum StreamError: UInt32, Sendable {
        case noError = 0
        case protocolError = 1
        case internalError = 2
        case refusedStream = 7
        case cancel = 8
        case enhanceYourCalm = 11
        case http11Required = 13
    }

    /// The action after the response, or instead of it. On HTTP/2, a reset affects the stream; closing without a
    /// response, or in the middle of one, ends the connection with all its streams.
    package enum Ending: Sendable {
        case keepsAlive
        /// Closes after the response without announcing it. On HTTP/2, it is announced (GOAWAY), and other streams end first.
        case closes
        case resets
        case closesUnanswered
        case resetsUnanswered
    }

    /// Returns a changed copy of the reply.
    package func with(_ change: (inout Reply) -> Void) -> Reply {
        var reply = self
        change(&reply)
        return reply
    }
}
