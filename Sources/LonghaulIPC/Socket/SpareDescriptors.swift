import LonghaulSystem

/// Descriptors that are held for nothing, so that they can be given up for a client when the process has no other left: a
/// person must be able to look at what takes them all, and to stop it.
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

    /// Closes one, so that the next descriptor can be opened; `false` when none is left.
    mutating func giveOne() -> Bool {
        spares.popLast() != nil
    }

    /// Takes back what can be had.
    mutating func refill() {
        while spares.count < wanted {
            // When none can be had now, the next turn asks again.
            guard let spare = try? source.duplicate() else { return }
            spares.append(spare)
        }
    }
}
