import LonghaulClient
import LonghaulCore

@testable import LonghaulCommand

let start = WallTime(seconds: 1_767_323_045)

func id(_ number: UInt64) -> TransferID {
    TransferID(high: 0x019A_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
}

func snapshot(
    _ number: UInt64 = 1, _ state: TransferState = .running(.receiving), name: String = "big.iso", done: Int64 = 0,
    total: Int64? = nil, rate: Int64 = 0, direction: TransferSnapshot.Direction = .download, attempts: Int = 1
) -> TransferSnapshot {
    TransferSnapshot(
        id: id(number), sequence: Int64(number), key: nil, group: "", direction: direction, method: "GET",
        url: "http://host.example/\(name)", name: name, path: "/there/\(name)", state: state, turnLimit: nil,
        priority: 0, bytesDone: done, bytesTotal: total, rate: rate, attempts: attempts, createdAt: start,
        startedAt: start, endedAt: state.isEnded ? start + .seconds(4) : nil, status: nil)
}

func update(_ transfers: TransferSnapshot...) -> WatchUpdate {
    WatchUpdate(changed: transfers, removed: [])
}

extension TransferFailure {
    static let noHost = TransferFailure(
        .hostNotFound, "could not find the host nohost.example", origin: .curl(6))
    static let notInstalled = TransferFailure(.serviceUnavailable, "longhauld is not installed.")
    static let serviceGone = TransferFailure.serviceAbsent
}
