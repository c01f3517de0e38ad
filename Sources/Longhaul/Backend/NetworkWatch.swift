import CLinux
import LonghaulIPC

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Tells when a network is there again, and when the clock was set or another time zone counts, on a thread of its own,
/// until it is stopped.
struct NetworkWatch: Sendable {
    private let ending = WakeSignal()

    /// What the kernel does not show is not told: then transfers that wait for a network try again at their dates only.
    init(noteReturn: @escaping @Sendable () -> Void, noteClockChange: @escaping @Sendable () -> Void) {
        let number = longhaul_routes_open()
        // Number -1 is passed over by poll(2).
        let routes = number >= 0 ? Descriptor(number) : nil
        let (clock, ending) = (ClockWatch(), ending)
        NativeThread {
            var set = ([ending.descriptor.number, routes?.number ?? -1] + clock.descriptors.map(\.number)).map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            while true {
                let count = poll(&set, nfds_t(set.count), -1)
                if count < 0, errno == EINTR { continue }
                guard count > 0, set[0].revents == 0 else { return }
                if let routes, longhaul_routes_gained(routes.number) > 0 { noteReturn() }
                if clock.hasChanged() { noteClockChange() }
            }
        }.letGo()
    }

    func stop() {
        ending.raise()
    }
}
