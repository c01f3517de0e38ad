import CCurl
import LonghaulCore
import LonghaulSystem

/// A socket as the poller names it, with the multi handle whose it is; 0 is the one of all and of the thread itself.
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

/// The multi handle of all exchanges, and those whose connections nobody else is to get: of crews, and of who shows a proxy a password.
struct MultiHandles {
    let common: MultiHandle
    private let poller: Poller
    private let clock: EngineClock
    let limits: PeerLimits
    private var others: [UInt32: MultiHandle] = [:]
    /// By the proxy with the name and the password that it is shown.
    private var byLogin: [String: MultiHandle] = [:]
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

    /// The connections of those who ask this proxy. Who shows it a name and a password shares none with who shows others: libcurl
    /// before 8.19 gives a tunnel that one password has opened also to who comes with another one (CVE-2026-3784).
    mutating func behind(_ proxy: String?) -> MultiHandle {
        guard let login = proxy, login.contains("@") else { return common }
        if let known = byLogin[login] { return known }
        if byLogin.count >= Self.mostLogins {
            for (login, handle) in byLogin where handle.transfers == 0 {
                byLogin[login] = nil
                drop(handle)
            }
        }
        let made = make()
        made.keep(Self.keptForLogin)
        byLogin[login] = made
        return made
    }

    /// So many are kept when nobody uses them.
    private static let mostLogins = 16
    private static let keptForLogin = 16

    /// Closes the connections of a handle that is not used any more.
    mutating func drop(_ handle: MultiHandle) {
        others = others.filter { $0.value !== handle }
        handle.close()
    }

    /// Closes all connections. libcurl tells the network thread of each, which must still be whole.
    func close() {
        for handle in [common] + others.values { handle.close() }
    }

    /// Whose socket it is; `nil` when it is gone.
    func owner(of key: SocketKey) -> MultiHandle? { key.multi == 0 ? common : others[key.multi] }

    /// Ends the connections whose peers are dead, and returns their ports on this side. Their exchanges end in the next turns of
    /// the loop.
    func endDeadConnections() -> [UInt16] {
        let limit = limits.unanswered.microseconds * 1_000
        return ([common] + others.values).flatMap { $0.endDeadConnections(limit: limit) }
    }

    /// When the first of them wants to be called.
    var alarm: Int64? { others.values.compactMap(\.alarm).reduce(common.alarm) { min($0 ?? .max, $1) } }

    /// Those whose time has come.
    func due(at now: Int64) -> [MultiHandle] {
        guard let alarm, alarm <= now else { return [] }
        return ([common] + others.values).filter { $0.alarm.map { $0 <= now } == true }
    }

    /// The context and the code of a transfer that is over; `nil` when there is none.
    func nextFinished() -> (context: UnsafeMutableRawPointer, code: CURLcode)? {
        if let finished = common.nextFinished() { return finished }
        for multi in others.values {
            if let finished = multi.nextFinished() { return finished }
        }
        return nil
    }
}
