import CCurl
import LonghaulCore
import LonghaulSystem

/// The poller's key of a socket, with the number of its multi handle; 0 is the common handle and the thread itself.
struct SocketKey {
    var multi: UInt32
    var socket: Int32

    init(multi: UInt32, socket: Int32) {
        self.multi = multi
        self.socket = socket
    }

    init(_ number: UInt64) {
        self.init(multi: UInt32(truncatingIfNeeded: number >> 32), socket: Int32(truncatingIfNeeded: number))
    }

    var number: UInt64 { UInt64(multi) << 32 | UInt64(UInt32(bitPattern: socket)) }
}

/// The part of an exchange's identity that is bound to a connection, but that libcurl does not compare before it reuses one.
struct ConnectionIdentity: Hashable {
    /// The proxy URL with its user name and password. Before 8.19, libcurl also uses a tunnel for a login that did not open it
    /// (CVE-2026-3784).
    var proxy: String?
    /// libcurl compares the certificate's name, but neither its key nor its password.
    var certificate: String?
    var key: String?
    var password: String?
    /// Servers accept all requests of a connection whose first request presented a Kerberos ticket (CVE-2026-1965).
    var negotiates = false

    /// Whether no part is set.
    var isCommon: Bool { self == ConnectionIdentity() }
}

/// The common multi handle of all exchanges, and separate ones whose connections must not be shared: those of groups
/// that download one file, and of identities.
struct MultiHandles {
    let common: MultiHandle
    private let poller: Poller
    private let clock: EngineClock
    let limits: PeerLimits
    private var others: [UInt32: MultiHandle] = [:]
    private var byIdentity: [ConnectionIdentity: MultiHandle] = [:]
    private var last: UInt32 = 0

    init?(poller: Poller, clock: EngineClock, limits: PeerLimits) {
        guard let common = MultiHandle(number: 0, poller: poller, clock: clock) else { return nil }
        self.common = common
        self.poller = poller
        self.clock = clock
        self.limits = limits
    }

    mutating func make() -> MultiHandle {
        last += 1
        guard let made = MultiHandle(number: last, poller: poller, clock: clock) else {
            preconditionFailure("There is no memory for connections.")
        }
        others[last] = made
        return made
    }

    /// Returns the multi handle whose connections have this identity.
    mutating func handle(for identity: ConnectionIdentity) -> MultiHandle {
        if identity.isCommon { return common }
        if let known = byIdentity[identity] { return known }
        if byIdentity.count >= Self.mostIdentities {
            for (identity, handle) in byIdentity where handle.transfers == 0 {
                byIdentity[identity] = nil
                drop(handle)
            }
        }
        let made = make()
        made.keep(Self.keptForIdentity)
        byIdentity[identity] = made
        return made
    }

    /// The number of handles beyond which idle ones are dropped.
    private static let mostIdentities = 16
    private static let keptForIdentity = 16

    /// Closes the connections of a handle that is no longer used.
    mutating func drop(_ handle: MultiHandle) {
        others = others.filter { $0.value !== handle }
        handle.close()
    }

    /// Closes all connections. libcurl calls the network thread for each, so the thread must still be intact.
    func close() {
        for handle in [common] + others.values { handle.close() }
    }

    /// Returns the multi handle of a socket; `nil` if it is gone.
    func owner(of key: SocketKey) -> MultiHandle? { key.multi == 0 ? common : others[key.multi] }

    /// Ends the connections whose peers are dead, and returns their local ports. Their exchanges end in the next turns
    /// of the loop.
    func endDeadConnections() -> [UInt16] {
        let limit = limits.unanswered.microseconds * 1_000
        return ([common] + others.values).flatMap { $0.endDeadConnections(limit: limit) }
    }

    /// Delivers frames that libcurl may have forgotten. Returns whether there may have been some.
    func deliverForgotten(inAnyCase: Bool = false) -> Bool {
        guard LibcurlFeature.mishandlesStreams else { return false }
        return ([common] + others.values).reduce(false) { $1.deliverForgotten(inAnyCase: inAnyCase) || $0 }
    }

    /// The time of the first timer.
    var alarm: Int64? { others.values.compactMap(\.alarm).reduce(common.alarm) { min($0 ?? .max, $1) } }

    /// Returns the handles whose timers fired.
    func due(at now: Int64) -> [MultiHandle] {
        guard let alarm, alarm <= now else { return [] }
        return ([common] + others.values).filter { $0.alarm.map { $0 <= now } == true }
    }

    /// Returns the context and the result of a finished transfer; `nil` if there is none.
    func nextFinished() -> (context: UnsafeMutableRawPointer, code: CURLcode)? {
        if let finished = common.nextFinished() { return finished }
        for multi in others.values {
            if let finished = multi.nextFinished() { return finished }
        }
        return nil
    }
}
