#if os(Linux)
    import CPlatform
    import LonghaulCore

    /// Reports which of many descriptors are ready, by their keys (epoll(7)). Belongs to one thread.
    package struct Poller {
        private let descriptor: Descriptor

        package init() throws(SystemError) {
            descriptor = Descriptor(try value(longhaul_epoll_create()))
        }

        package func add(_ number: Int32, key: UInt64, interest: Readiness) throws(SystemError) {
            try value(longhaul_epoll_set(descriptor.number, number, key, interest.rawValue, 1))
        }

        /// Adds a descriptor that may have been added before. Returns `false` if the system refuses.
        package func watch(_ number: Int32, key: UInt64, interest: Readiness, isKnown: Bool) -> Bool {
            let error = longhaul_epoll_set(descriptor.number, number, key, interest.rawValue, isKnown ? 0 : 1)
            guard SystemError(-error) == .exists else { return error == 0 }
            return longhaul_epoll_set(descriptor.number, number, key, interest.rawValue, 0) == 0
        }

        package func change(_ number: Int32, key: UInt64, interest: Readiness) {
            let error = longhaul_epoll_set(descriptor.number, number, key, interest.rawValue, 0)
            precondition(error == 0, "Descriptor \(number) was added before: error \(-error).")
        }

        package func remove(_ number: Int32) {
            longhaul_epoll_remove(descriptor.number, number)
        }

        /// Waits for at most `milliseconds` (-1: forever).
        package func wait(milliseconds: Int32) -> [(key: UInt64, ready: Readiness)] {
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.batch) { keys in
                withUnsafeTemporaryAllocation(of: Int32.self, capacity: Self.batch) { events in
                    let count = longhaul_epoll_wait(
                        descriptor.number, keys.baseAddress, events.baseAddress, Int32(Self.batch), milliseconds)
                    precondition(count >= 0, "Waiting for clients failed: error \(-count).")
                    return (0..<Int(count)).map { (keys[$0], Readiness(rawValue: events[$0])) }
                }
            }
        }

        /// Waits without allocating an array: fills the buffers, and returns the number of events. A failed wait returns 0.
        package func wait(_ keys: inout [UInt64], _ ready: inout [Int32], milliseconds: Int32) -> Int {
            let room = Int32(min(keys.count, ready.count))
            return max(0, Int(longhaul_epoll_wait(descriptor.number, &keys, &ready, room, milliseconds)))
        }

        private static let batch = 64
    }
#endif
