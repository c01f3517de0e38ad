/// How many transfers of a session may run at once.
///
/// HTTP/1 needs a connection for each transfer, so that ``total`` and ``perHost`` count connections there. HTTP/2 and HTTP/3 carry
/// many transfers over one: a host that was heard to speak one of them takes ``streams`` at once. In all, so many streams weigh as much
/// as ``total`` connections.
package struct SessionLimits: Equatable, Sendable {
    /// In total. As long as it is not set, it is 16, and attended transfers (``TransferOptions/isAttended``) start beyond it.
    package var total: Int {
        get { chosenTotal ?? Self.usual.total }
        set { chosenTotal = newValue }
    }
    /// With one host (Apple: `httpMaximumConnectionsPerHost`). As long as it is not set, it is 6, and attended transfers start
    /// beyond it, as does one transfer with a higher priority than all that run there. A limit that is set always holds.
    package var perHost: Int {
        get { chosenPerHost ?? Self.usual.perHost }
        set { chosenPerHost = newValue }
    }
    /// In one group, by name; groups not named have no limit of their own.
    package var perGroup: [String: Int]
    /// `total` if it was set.
    package var chosenTotal: Int?
    /// `perHost` if it was set.
    package var chosenPerHost: Int?
    /// `streams` if it was set.
    package var chosenStreams: Int?

    /// Limits that are `nil` are not set: 16 in total, 6 with one host, 100 over shared connections.
    package init(total: Int? = nil, perHost: Int? = nil, streams: Int? = nil, perGroup: [String: Int] = [:]) {
        chosenTotal = total
        chosenPerHost = perHost
        chosenStreams = streams
        self.perGroup = perGroup
    }

    /// Where transfers share a connection: with one host and in all. As long as nobody sets it, it is 100, or the smaller one
    /// of ``total`` and ``perHost`` that is not the default: who asks for two at once gets two.
    package var streams: Int {
        get { chosenStreams ?? usualStreams }
        set { chosenStreams = newValue }
    }

    /// How many connections a host takes for one download that asked for `chosen` of them, or for as many as help. Each transfer with
    /// that host takes one of them. Who sets ``perHost`` means this as well.
    package func connections(chosen: Int?) -> Int {
        guard hasUsualPerHost else { return perHost }
        return max(SegmentPolicy.usualMost, chosen ?? 1)
    }

    /// Whether the limit per host is the default, which some transfers exceed. A limit that was set holds exactly.
    var hasUsualPerHost: Bool { chosenPerHost == nil }

    /// The same for the limit in total.
    var hasUsualTotal: Bool { chosenTotal == nil }

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
