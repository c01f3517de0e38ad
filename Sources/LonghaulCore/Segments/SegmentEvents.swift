/// The first response, after its headers were accepted, and before the first byte of its body.
package struct SegmentStart {
    package var ticket: Ticket
    package var plan: ExchangePlan
    package var partial: PartialPlan
    package var head: ResponseHead
    /// The URL that serves the file, after redirects.
    package var url: TransferURL
    /// The bytes that the response will deliver.
    package var range: Range<Int64>
    /// Whether the file may have holes already.
    package var isShared: Bool
    /// Whether the connection allows other requests at the same time.
    package var sharesConnection = false
    package var way: PathMetrics?
    package var now: Int64

    package init(
        ticket: Ticket, plan: ExchangePlan, partial: PartialPlan, head: ResponseHead, url: TransferURL,
        range: Range<Int64>, isShared: Bool, now: Int64
    ) {
        self.ticket = ticket
        self.plan = plan
        self.partial = partial
        self.head = head
        self.url = url
        self.range = range
        self.isShared = isShared
        self.now = now
    }
}

/// The state of connections and the file at an event, as the engine sees it.
package struct SegmentSnapshot {
    /// Monotonic nanoseconds.
    package var now: Int64
    /// The connections that write to the file.
    package var files: [Ticket: File]
    /// Whether a checkpoint of the first connection is being synced.
    package var isCheckpointing: Bool

    package init(now: Int64, files: [Ticket: File] = [:], isCheckpointing: Bool = false) {
        self.now = now
        self.files = files
        self.isCheckpointing = isCheckpointing
    }

    /// One connection's range of the file.
    package struct File {
        package var start: Int64
        /// The offset of its next byte.
        package var received: Int64
        /// The offset up to which its bytes can be read from the file.
        package var written: Int64
        /// The offset at which it stops.
        package var end: Int64

        package init(start: Int64, received: Int64, written: Int64, end: Int64) {
            self.start = start
            self.received = received
            self.written = written
            self.end = end
        }
    }
}

/// Events for a ``SegmentMachine``.
package enum SegmentEvent {
    /// The loop allows this many connections.
    case granted(Int)
    /// The loop has noted that the file will have holes.
    case opened
    case measured(Measurement)
    /// A helper's response is written.
    case receiving(Ticket, ResponseHead)
    /// A helper received the whole body instead of a range.
    case gotWhole(Ticket, ResponseHead)
    /// A connection delivers no byte from this one on; its earlier bytes are still being written.
    case settled(Ticket, at: Int64, keepsConnection: Bool)
    case ended(Ticket, ExchangeOutcome)
    case compared([SegmentSeams.Overlap], Comparison)
    /// A sync has ended.
    case synced(TransferFailure?)
    /// A checkpoint of the first connection has ended.
    case checkpointed
    case cancelled

    package struct Measurement {
        /// Bytes received over all connections.
        package var received: Int64
        /// When the last of them arrived, in monotonic nanoseconds.
        package var arrived: Int64?
        /// The network path of a connection, while it is known.
        package var way: PathMetrics?
        package var rateLimit: Int64?
        /// Whether an allowance limits the bytes.
        package var isCounted: Bool

        package init(
            received: Int64, arrived: Int64? = nil, way: PathMetrics? = nil, rateLimit: Int64? = nil,
            isCounted: Bool = false
        ) {
            self.received = received
            self.arrived = arrived
            self.way = way
            self.rateLimit = rateLimit
            self.isCounted = isCounted
        }
    }

    package enum Comparison {
        case agrees
        case differs
        /// The file cannot be read.
        case failed(TransferFailure)
    }
}

/// An order of a ``SegmentMachine`` to its engine.
package enum SegmentAction {
    case request(Request)
    /// Requests these ranges, and keeps them in memory if the server sends only them. `SegmentEvent.ended` has them.
    case check(Ticket, Source, [Range<Int64>], validators: Validators, connection: ConnectionUse)
    /// The connection continues to this byte, although it was to stop before it.
    case extend(Ticket, to: Int64)
    /// Ends the connections that have received all bytes up to their stops.
    case endStopped
    case cancel(Ticket)
    /// Reads the file; `SegmentEvent.compared` has the result, at once.
    case compare([SegmentSeams.Overlap])
    case sync
    /// The file gets holes from now on.
    case openFile
    /// The file cannot be synced while the first connection is alone.
    case failFirst(TransferFailure)
    case reportMap(SegmentMap)
    /// Precedes the map with their bytes.
    case reportSources([MirrorSelector.Statistics])
    /// Requests this many connections from the loop.
    case want(Int)
    case report(ConnectionReport)
    /// A connection waits while its bytes are written, and its window closes: sample at once.
    case checkSoon
    case conclude(ExchangeOutcome)

    /// A request for a range.
    package struct Request: Equatable {
        package var ticket: Ticket
        package var source: Source
        package var point: ResumePoint
        package var connection: ConnectionUse
    }

    package enum Source: Equatable {
        /// The URL that serves the first connection.
        case servingURL
        /// The transfer's own URL, which may redirect.
        case ownURL
        case mirror(MirrorPlan.Place)
    }
}

/// The next step of a helper that has received the bytes before its range.
package enum SegmentJoining: Equatable {
    /// Another connection has received its range.
    case enough
    /// Stop the other connection at this byte, and read up to there without writing.
    case takeOver(from: Ticket, at: Int64)
    case write
    /// Compare the bytes, and report that (`joined`).
    case compare(SegmentSeams.Overlap)
}
