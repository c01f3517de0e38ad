import CLinux
import Glibc

/// Descriptors that are held for nothing, so that they can be given up for a client when the process has no other left: a
/// person must be able to look at what takes them all, and to stop it.
struct SpareDescriptors {
    private let wanted: Int
    private var spares: [Descriptor] = []
    private let source = WakeSignal()

    init(_ count: Int) {
        wanted = count
        refill()
    }

    /// Closes one, so that the next descriptor can be opened; `false` when none is left.
    mutating func giveOne() -> Bool {
        spares.popLast() != nil
    }

    /// Takes back what can be had.
    mutating func refill() {
        while spares.count < wanted {
            let number = fcntl(source.descriptor.number, F_DUPFD_CLOEXEC, 0)
            guard number >= 0 else { return }
            spares.append(Descriptor(number))
        }
    }
}
