/// How many transfers of a session may run at once.
///
/// HTTP/1 needs a connection for each transfer, so that ``total`` and ``perHost`` count connections there. HTTP/2 and HTTP/3 carry
/// many transfers over one: a host that was heard to speak one of them takes ``streams`` at once. In all, so many streams weigh as much
/// as ``total`` connections.
public struct SessionLimits: Equatable, Sendable {
    /// In all. As long as nobody sets it, one more may run while all of them take long (``perHost``).
    public var total: Int
    /// With one host (Apple: `httpMaximumConnectionsPerHost`). As long as nobody sets it, one more may run that has a higher priority than
    /// all of them, or one that waits while all of them take longer than a minute.
    public var perHost: Int
    /// In one group, by name; groups not named have no limit of their own.
    public var perGroup: [String: Int]
    /// What somebody said about `streams`.
    package var chosenStreams: Int?

    /// 16 in all, 6 with one host, 100 where they share connections.
    public init(total: Int = 16, perHost: Int = 6, streams: Int? = nil, perGroup: [String: Int] = [:]) {
        self.total = total
        self.perHost = perHost
        self.perGroup = perGroup
        chosenStreams = streams
    }

    /// Where transfers share a connection: with one host and in all. As long as nobody sets it, it is 100, or the smaller one
    /// of ``total`` and ``perHost`` that is not the default: who asks for two at once gets two.
    public var streams: Int {
        get { chosenStreams ?? usualStreams }
        set { chosenStreams = newValue }
    }

    /// How many connections a host takes for one download that asked for `chosen` of them, or for as many as help. Each transfer with
    /// that host takes one of them. Who sets ``perHost`` means this as well.
    package func connections(chosen: Int?) -> Int {
        guard hasUsualPerHost else { return perHost }
        return max(SegmentPolicy.usualMost, chosen ?? 1)
    }

    /// Whether one transfer more may run with a host than it has places, if it goes before all of these or waits for long. Who sets ``perHost`` means just that
    /// many.
    var hasUsualPerHost: Bool { perHost == Self.usual.perHost }

    /// The same for all hosts.
    var hasUsualTotal: Bool { total == Self.usual.total }

    /// As many as every server is advised to take (RFC 9113, section 6.5.2), and as libcurl asks of one connection.
    private static let usualStreams = 100

    private var usualStreams: Int {
        switch (hasUsualTotal, hasUsualPerHost) {
        case (true, true): Self.usualStreams
        case (false, true): total
        case (true, false): perHost
        case (false, false): min(total, perHost)
        }
    }

    private static let usual = (total: 16, perHost: 6)
}
