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

/// The multi handle of all exchanges, and those of crews, whose connections nobody else is to get.
struct MultiHandles {
    let common: MultiHandle
    private let poller: Poller
    private var others: [UInt32: MultiHandle] = [:]
    private var last: UInt32 = 0

    init?(poller: Poller) {
        guard let common = MultiHandle(number: 0, poller: poller) else { return nil }
        self.common = common
        self.poller = poller
    }

    /// `nil` when there is no memory.
    mutating func make() -> MultiHandle? {
        last += 1
        let made = MultiHandle(number: last, poller: poller)
        others[last] = made
        return made
    }

    /// Nobody uses it any more: its connections are closed.
    mutating func drop(_ handle: MultiHandle) {
        others = others.filter { $0.value !== handle }
    }

    /// Whose socket it is; `nil` when it is gone.
    func owner(of key: SocketKey) -> MultiHandle? { key.multi == 0 ? common : others[key.multi] }

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
