import CLinux
import LonghaulCore

/// Tells which of many descriptors can be used, by the key each was added with. Belongs to one thread.
struct Poller {
    struct Interest: OptionSet, Equatable {
        let rawValue: Int32

        static let readable = Interest(rawValue: LONGHAUL_READABLE)
        static let writable = Interest(rawValue: LONGHAUL_WRITABLE)
        /// Reported whatever was asked for: the other end is gone.
        static let hungUp = Interest(rawValue: LONGHAUL_HUNG_UP)
    }

    private let descriptor: Descriptor

    init() throws(TransferFailure) {
        let number = longhaul_epoll_create()
        guard number >= 0 else { throw TransferFailure(.internalFault, "Waiting for clients failed.", error: -number) }
        descriptor = Descriptor(number)
    }

    func add(_ number: Int32, key: UInt64, interest: Interest) throws(TransferFailure) {
        let error = longhaul_epoll_set(descriptor.number, number, key, interest.rawValue, 1)
        guard error == 0 else {
            throw TransferFailure(.internalFault, "Waiting for a descriptor failed.", error: -error)
        }
    }

    func change(_ number: Int32, key: UInt64, interest: Interest) {
        let error = longhaul_epoll_set(descriptor.number, number, key, interest.rawValue, 0)
        precondition(error == 0, "Descriptor \(number) was added before: error \(-error).")
    }

    func remove(_ number: Int32) {
        _ = longhaul_epoll_remove(descriptor.number, number)
    }

    /// Waits for at most `milliseconds` (-1: for ever).
    func wait(milliseconds: Int32) -> [(key: UInt64, ready: Interest)] {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.batch) { keys in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: Self.batch) { events in
                let count = longhaul_epoll_wait(
                    descriptor.number, keys.baseAddress, events.baseAddress, Int32(Self.batch), milliseconds)
                precondition(count >= 0, "Waiting for clients failed: error \(-count).")
                return (0..<Int(count)).map { (keys[$0], Interest(rawValue: events[$0])) }
            }
        }
    }

    private static let batch = 64
}
