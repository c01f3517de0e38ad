/// The number of transfers of a session that may run at once.
///
/// HTTP/1 needs a connection for each transfer, so ``total`` and ``perHost`` count connections. HTTP/2 and HTTP/3 share
/// one connection between many transfers: a host known to support either allows ``streams`` transfers at once. That
/// many streams count as ``total`` connections.
package struct SessionLimits: Equatable, Sendable {
    /// The limit in total. The default is 16, which attended transfers (``TransferOptions/isAttended``) may exceed.
    package var total: Int {
        get { chosenTotal ?? Self.usual.total }
        set { chosenTotal = newValue }
    }
    /// The limit for each host (Apple: `httpMaximumConnectionsPerHost`). The default is 6. Attended transfers may
    /// exceed it, and so may one transfer with a higher priority than all that run with the host. A limit that is set
    /// always holds.
    package var perHost: Int {
        get { chosenPerHost ?? Self.usual.perHost }
        set { chosenPerHost = newValue }
    }
    /// The limit for each group, by name. Other groups have no limit.
    package var perGroup: [String: Int]
    /// The value of `total`, if it was set.
    package var chosenTotal: Int?
    /// The value of `perHost`, if it was set.
    package var chosenPerHost: Int?
    /// The value of `streams`, if it was set.
    package var chosenStreams: Int?

    /// A limit that is `nil` has its default: 16 in total, 6 for each host, 100 streams over shared connections.
    package init(total: Int? = nil, perHost: Int? = nil, streams: Int? = nil, perGroup: [String: Int] = [:]) {
        chosenTotal = total
        chosenPerHost = perHost
        chosenStreams = streams
        self.perGroup = perGroup
    }

    /// The limit for transfers over shared connections, for each host and in total. The default is 100, or the smaller
    /// of those of ``total`` and ``perHost`` that are set.
    package var streams: Int {
        get { chosenStreams ?? usualStreams }
        set { chosenStreams = newValue }
    }

    /// Returns how many connections a host allows for one download with `chosen` connections; `nil` for as many as
    /// help. Each transfer with the host uses one of them. If ``perHost`` is set, it applies.
    package func connections(chosen: Int?) -> Int {
        guard hasUsualPerHost else { return perHost }
        return max(SegmentPolicy.usualMost, chosen ?? 1)
    }

    /// Whether the limit per host is the default, which some transfers exceed. A limit that was set holds exactly.
    var hasUsualPerHost: Bool { chosenPerHost == nil }

    /// Whether the total limit is the default.
    var hasUsualTotal: Bool { chosenTotal == nil }

    /// The minimum that RFC 9113, section 6.5.2 recommends to servers, and libcurl's default for one connection.
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
