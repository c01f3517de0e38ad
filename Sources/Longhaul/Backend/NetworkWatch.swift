import CLinux
import LonghaulIPC

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Tells when a network is there again, on a thread of its own, until it is stopped.
struct NetworkWatch: Sendable {
    private let ending = WakeSignal()

    /// `nil` where changes cannot be seen: then transfers that wait for a network try again at their dates only.
    init?(_ noteReturn: @escaping @Sendable () -> Void) {
        let number = longhaul_routes_open()
        guard number >= 0 else { return nil }
        let (routes, ending) = (Descriptor(number), ending)
        NativeThread {
            var set = [routes.number, ending.descriptor.number].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            while true {
                let count = poll(&set, nfds_t(set.count), -1)
                if count < 0, errno == EINTR { continue }
                guard count > 0, set[1].revents == 0 else { return }
                if longhaul_routes_gained(routes.number) > 0 { noteReturn() }
            }
        }.letGo()
    }

    func stop() {
        ending.raise()
    }
}
