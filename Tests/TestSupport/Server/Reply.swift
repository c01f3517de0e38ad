package import LonghaulCore

/// One answer of the server, with everything that is wrong with it.
package struct Reply: Sendable {
    /// `nil` lets `resource` and the request decide (200, 206, 304, 412, 416).
    package var status: Int?
    /// `nil` is the usual one; an empty one is sent as such.
    package var reason: String?
    package var version = "HTTP/1.1"
    /// Added to those that the answer needs. Nothing is checked: two differing lengths are possible.
    package var headers: [HeaderField] = []
    package var date = DateField.now
    package var resource: Resource?
    /// The body when there is no resource.
    package var body: [UInt8] = []
    package var framing = Framing.contentLength
    /// What happens with the request's body.
    package var intake = Intake.whole
    package var interims: [Interim] = []
    /// Whether `Expect: 100-continue` gets its 100.
    package var continues = true
    /// The final head waits here, after the request's body was taken.
    package var gate: Gate?
    /// Where the response body goes wrong; counted in bytes of this body.
    package var faults: [Fault] = []
    /// The most bytes of the response body per second.
    package var rate: Int64?
    package var ending = Ending.keepsAlive
    /// What a reset says on HTTP/2.
    package var resetCode = StreamError.internalError
    /// What a short answer before the end of the body says of the rest of it on HTTP/2.
    package var rest = Rest.refused
    /// Sent instead of everything else; the connection is closed after it.
    package var raw: [UInt8]?
    /// Gets the request's body as it comes.
    package var onBody: (@Sendable (UnsafeRawBufferPointer) -> Void)?
    /// Asked after the request's body ended (or was cut) for the reply to send instead of this one.
    package var afterBody: (@Sendable (ReceivedRequest) -> Reply)?

    package init(status: Int? = nil) {
        self.status = status
    }

    package enum DateField: Sendable {
        case now
        case fixed(WallTime)
        case absent
    }

    /// How the end of the response body is told.
    package enum Framing: Sendable {
        case contentLength
        /// `Content-Length` says so many bytes more (or fewer) than are sent; then the connection is closed.
        case contentLengthOff(by: Int64)
        case chunked
        /// Every chunk is there but the last one; then the connection is closed.
        case chunkedWithoutEnd
        /// Nothing is said, and closing the connection is the end.
        case untilClose
    }

    package enum Intake: Sendable {
        case whole
        /// Answers at once and reads nothing of the body. Then the connection is closed on whoever still sends, which
        /// is a reset and can destroy the answer; with `Ending.closes` it is heard out, and the answer is safe.
        case none
        /// Answers early, after so many bytes; then as `none`.
        case answer(after: Int64)
        /// Ends the connection without an answer after so many bytes, if the body is longer.
        case cut(after: Int64)
        case reset(after: Int64)
        /// Reads no further until the gate opens.
        case stall(after: Int64, Gate)
    }

    package enum Rest: CaseIterable, Sendable {
        /// RST_STREAM(NO_ERROR) comes behind the answer (RFC 9113, section 8.1).
        case refused
        /// As `refused`, in one piece with the answer, so that one read brings both.
        case refusedAtOnce
        /// Nothing: it is received and dropped.
        case letGo
    }

    /// A 1xx head before the final one.
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
        /// Ends the connection as if all were well.
        case cut(after: Int64)
        case reset(after: Int64)
        /// Sends nothing more until the gate opens.
        case stall(after: Int64, Gate)

        var offset: Int64 {
            switch self {
            case .cut(let offset), .reset(let offset), .stall(let offset, _): offset
            }
        }
    }

    /// Codes of RST_STREAM (RFC 9113, section 7).
    package enum StreamError: UInt32, Sendable {
        case noError = 0
        case protocolError = 1
        case internalError = 2
        case refusedStream = 7
        case cancel = 8
        case enhanceYourCalm = 11
        case http11Required = 13
    }

    /// What happens after the answer, or instead of it. On HTTP/2 a reset is the stream's, and what closes unanswered or in
    /// the middle takes the connection with all its streams along.
    package enum Ending: Sendable {
        case keepsAlive
        /// Closes after the answer without having said so. On HTTP/2 it is said (GOAWAY), and other streams end first.
        case closes
        case resets
        case closesUnanswered
        case resetsUnanswered
    }

    /// The same reply with changes.
    package func with(_ change: (inout Reply) -> Void) -> Reply {
        var reply = self
        change(&reply)
        return reply
    }
}
