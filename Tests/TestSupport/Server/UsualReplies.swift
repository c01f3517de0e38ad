package import LonghaulCore

extension Reply {
    /// Returns a correct download.
    package static func file(
        _ content: Content, etag: String? = nil, lastModified: WallTime? = nil, headers: [HeaderField] = [],
        ranges: RangeManners = RangeManners()
    ) -> Reply {
        var reply = Reply()
        reply.resource = Resource(content, etag: etag, lastModified: lastModified)
        reply.resource?.ranges = ranges
        reply.headers = headers
        return reply
    }

    /// Returns a status with a small body.
    package static func status(_ status: Int, headers: [HeaderField] = [], body: String = "") -> Reply {
        Reply(status: status).with {
            $0.headers = headers
            $0.body = Array(body.utf8)
        }
    }

    /// Returns a status with `Retry-After` (seconds or a date).
    package static func busy(_ status: Int = 503, retryAfter: String?) -> Reply {
        .status(status, headers: retryAfter.map { [HeaderField("Retry-After", $0)] } ?? [], body: "later\n")
    }

    package static func redirect(_ status: Int = 302, to location: String) -> Reply {
        .status(status, headers: [HeaderField("Location", location)])
    }

    /// Reads the request and never responds; `latch` reports when it has arrived.
    package static func silence(_ latch: Latch = Latch()) -> Reply {
        Reply(status: 200).with {
            $0.latch = latch
            $0.ending = .closesUnanswered
        }
    }

    /// Sends only these bytes, then ends the connection.
    package static func raw(_ text: String) -> Reply {
        Reply().with { $0.raw = Array(text.utf8) }
    }

    package func cut(after bytes: Int64) -> Reply { with { $0.faults.append(.cut(after: bytes)) } }
    package func reset(after bytes: Int64) -> Reply { with { $0.faults.append(.reset(after: bytes)) } }
    package func stalled(after bytes: Int64, by latch: Latch) -> Reply {
        with { $0.faults.append(.stall(after: bytes, latch)) }
    }
    package func paced(_ rate: Int64) -> Reply { with { $0.rate = rate } }
    /// Returns the reply interrupted after this many bytes of the body: by closing the connection, or on HTTP/2 the stream.
    package func broken(after bytes: Int64, over transport: Transport) -> Reply {
        transport == .http2 ? reset(after: bytes) : cut(after: bytes)
    }
    package func held(by latch: Latch) -> Reply { with { $0.latch = latch } }
    package func ending(_ ending: Ending) -> Reply { with { $0.ending = ending } }
    package func framed(_ framing: Framing) -> Reply { with { $0.framing = framing } }
    package func intake(_ intake: Intake) -> Reply { with { $0.intake = intake } }
    package func interim(
        _ status: Int, headers: [HeaderField] = [], moment: Interim.Moment = .beforeBody
    ) -> Reply { with { $0.interims.append(Interim(status, headers: headers, moment: moment)) } }
    package func header(_ name: String, _ value: String) -> Reply {
        with { $0.headers.append(HeaderField(name, value)) }
    }
}

/// The responses of a path, visit by visit.
package struct Route: Sendable {
    let reply: @Sendable (_ request: ReceivedRequest, _ visit: Int) -> Reply

    /// The same response every time.
    package init(_ reply: Reply) {
        self.reply = { _, _ in reply }
    }

    /// Decides for each request; `visit` counts from 0.
    package static func decided(_ decide: @escaping @Sendable (ReceivedRequest, _ visit: Int) -> Reply) -> Route {
        Route(decide)
    }

    /// One response after the other; the last one repeats.
    package static func inTurn(_ replies: Reply...) -> Route {
        Route { _, visit in replies[min(visit, replies.count - 1)] }
    }

    /// Another response for the first `count` requests.
    package static func first(_ count: Int, _ early: Reply, then later: Reply) -> Route {
        Route { _, visit in visit < count ? early : later }
    }

    /// Responses by method; 405 for other methods.
    package static func methods(_ replies: [String: Reply]) -> Route {
        Route { request, _ in replies[request.method] ?? .status(405) }
    }

    private init(_ reply: @escaping @Sendable (ReceivedRequest, Int) -> Reply) {
        self.reply = reply
    }
}
