import LonghaulSystem

/// Reserved descriptors, which are closed for a client when the process has no other left: the user must be able to
/// find what uses them all, and to stop it.
struct SpareDescriptors {
    private let wanted: Int
    private var spares: [Descriptor] = []
    private let source: Descriptor

    /// Holds copies of `source`.
    init(_ count: Int, of source: Descriptor) {
        wanted = count
        self.source = source
        refill()
    }

    /// Closes one, so that the next descriptor can be opened; `false` if none is left.
    mutating func giveOne() -> Bool {
        spares.popLast() != nil
    }

    /// Opens as many spares as possible.
    mutating func refill() {
        while spares.count < wanted {
            // If no descriptor is available now, the next turn tries again.
            guard let spare = try? source.duplicate() else { return }
            spares.append(spare)
        }
    }
}
